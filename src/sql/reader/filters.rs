//! Which filters the reader takes, and in which order.
//!
//! A filter that the reader takes is computed before the other columns are read, and of them
//! only what passes. That is worth a try for a column held against constants, and for what a
//! join knows of its other side. It is not where two columns are held against each other:
//! most rows pass as often as not, in no order, and to read the rest piece by piece costs more
//! then than to read it. Nor where a filter can fail: what went wrong has lost its name when
//! it comes out of the reader. Such filters stay above it, for the rows that the others let
//! through. Numbers and dates come first, texts later, and patterns last.
//!
//! The reader takes each condition by itself, and keeps books between two of them of the rows
//! that passed. The two ends of a range are one condition to it.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileOpener, FileScanConfig, FileSource, ParquetSource,
};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::logical_expr::Operator;
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::expressions::{
    BinaryExpr, Column, DynamicFilterPhysicalExpr, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr,
    Literal, NotExpr, lit,
};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{
    EquivalenceProperties, PhysicalExpr, PhysicalSortExpr, ScalarFunctionExpr,
};
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, SortOrderPushdownResult};
use datafusion_datasource::morsel::Morselizer;

use super::super::canonical::CANONICAL;

/// The engine's source of Parquet files, which takes filters as the module says.
pub(in crate::sql) struct Filtering(ParquetSource);

impl Filtering {
    pub(in crate::sql) fn over(source: ParquetSource) -> Arc<dyn FileSource> {
        Arc::new(Self(source.with_pushdown_filters(true)))
    }

    /// A source that the engine's own made of itself.
    fn again(source: &Arc<dyn FileSource>) -> Arc<dyn FileSource> {
        match source.downcast_ref::<ParquetSource>() {
            Some(own) => Arc::new(Self(own.clone())),
            None => Arc::clone(source),
        }
    }
}

impl FileSource for Filtering {
    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let schema = self.0.table_schema().table_schema();
        let cost = |filter| cost(filter, schema);
        let mut taken: Vec<_> = filters
            .iter()
            .enumerate()
            .filter_map(|(at, filter)| Some((cost(filter)?, at)))
            .collect();
        taken.sort_unstable();
        if taken.is_empty() {
            // Row groups are left out by their statistics all the same.
            let untaken = self.0.clone().with_pushdown_filters(false);
            let mut pushed = untaken.try_pushdown_filters(filters, config)?;
            pushed.updated_node = pushed.updated_node.as_ref().map(Self::again);
            return Ok(pushed);
        }
        let steps = steps(&taken, &filters);
        let ordered = steps.iter().map(|step| together(step, &filters)).collect();
        let mut pushed = self.0.try_pushdown_filters(ordered, config)?;
        let mut all = vec![PushedDown::No; filters.len()];
        for (step, is_taken) in steps.iter().zip(&pushed.filters) {
            step.iter().for_each(|at| all[*at] = *is_taken);
        }
        pushed.filters = all;
        pushed.updated_node = pushed.updated_node.as_ref().map(Self::again);
        Ok(pushed)
    }

    fn with_batch_size(&self, rows: usize) -> Arc<dyn FileSource> {
        Self::again(&self.0.with_batch_size(rows))
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        Ok(self.0.try_pushdown_projection(projection)?.as_ref().map(Self::again))
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
        properties: &EquivalenceProperties,
    ) -> Result<SortOrderPushdownResult<Arc<dyn FileSource>>> {
        Ok(self.0.try_pushdown_sort(order, properties)?.map(|source| Self::again(&source)))
    }

    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        self.0.create_file_opener(store, config, partition)
    }

    fn create_morselizer(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Box<dyn Morselizer>> {
        self.0.create_morselizer(store, config, partition)
    }

    fn table_schema(&self) -> &TableSchema {
        self.0.table_schema()
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.0.filter()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        self.0.projection()
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        self.0.metrics()
    }

    fn file_type(&self) -> &str {
        self.0.file_type()
    }

    fn fmt_extra(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_extra(format, f)
    }

    fn reorder_files(&self, files: Vec<PartitionedFile>) -> Vec<PartitionedFile> {
        self.0.reorder_files(files)
    }

    fn apply_expressions(
        &self,
        each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.0.apply_expressions(each)
    }
}

/// What a row costs; the order is that in which they are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Number,
    Text,
    Pattern,
    /// What a join or a sort says while it runs.
    Later,
}

/// What a filter costs that the reader takes.
fn cost(filter: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Option<Cost> {
    let of = |filter| cost(filter, schema);
    if filter.is::<DynamicFilterPhysicalExpr>() {
        return Some(Cost::Later);
    }
    if filter.is::<Literal>() {
        return Some(Cost::Number);
    }
    if let Some(column) = filter.downcast_ref::<Column>() {
        let data_type = schema.fields().get(column.index())?.data_type();
        return Some(match data_type {
            DataType::Utf8View | DataType::BinaryView => Cost::Text,
            _ => Cost::Number,
        });
    }
    if let Some(call) = filter.downcast_ref::<ScalarFunctionExpr>() {
        let [column] = call.args() else { return None };
        return (call.name() == CANONICAL).then(|| of(column))?;
    }
    if let Some(binary) = filter.downcast_ref::<BinaryExpr>() {
        let both = of(binary.left())?.max(of(binary.right())?);
        let sides = [binary.left(), binary.right()];
        let is_condition = matches!(binary.op(), Operator::And | Operator::Or)
            || binary.op().supports_propagation() && sides.iter().any(|side| is_constant(side));
        return is_condition.then_some(both);
    }
    if let Some(like) = filter.downcast_ref::<LikeExpr>() {
        of(like.expr())?;
        return is_constant(like.pattern()).then_some(Cost::Pattern);
    }
    if let Some(list) = filter.downcast_ref::<InListExpr>() {
        return list.list().iter().all(is_constant).then(|| of(list.expr()))?;
    }
    let inner = (filter.downcast_ref::<NotExpr>().map(NotExpr::arg))
        .or_else(|| filter.downcast_ref::<IsNullExpr>().map(IsNullExpr::arg))
        .or_else(|| filter.downcast_ref::<IsNotNullExpr>().map(IsNotNullExpr::arg))?;
    of(inner)
}

/// The places of the filters that are computed together: those that bound one column.
fn steps(taken: &[(Cost, usize)], filters: &[Arc<dyn PhysicalExpr>]) -> Vec<Vec<usize>> {
    let mut steps: Vec<Vec<usize>> = Vec::new();
    for (_, at) in taken {
        let bounded = bounded(&filters[*at]);
        let same = |step: &&mut Vec<usize>| {
            bounded.is_some() && self::bounded(&filters[step[0]]) == bounded
        };
        match steps.iter_mut().find(same) {
            Some(step) => step.push(*at),
            None => steps.push(vec![*at]),
        }
    }
    steps
}

/// The column of which a filter says that it is above or below a constant.
fn bounded(filter: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    let binary = filter.downcast_ref::<BinaryExpr>()?;
    let is_bound =
        matches!(binary.op(), Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq);
    let column = binary.left().downcast_ref::<Column>()?;
    (is_bound && is_constant(binary.right())).then(|| column.index())
}

/// Filters as one. An AND is taken apart again by the reader, but not beside an OR; that one
/// side of it is false leaves the other for the statistics of row groups.
fn together(step: &[usize], filters: &[Arc<dyn PhysicalExpr>]) -> Arc<dyn PhysicalExpr> {
    let both = |one, other| -> Arc<dyn PhysicalExpr> {
        Arc::new(BinaryExpr::new(one, Operator::And, other))
    };
    let all = step.iter().map(|at| Arc::clone(&filters[*at])).reduce(both);
    match (all, step) {
        (Some(all), [_, _, ..]) => Arc::new(BinaryExpr::new(all, Operator::Or, lit(false))),
        (Some(one), _) => one,
        (None, _) => lit(true),
    }
}

fn is_constant(side: &Arc<dyn PhysicalExpr>) -> bool {
    side.is::<Literal>()
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::Field;
    use datafusion::physical_expr::expressions::{CastExpr, binary, col, like};

    use super::*;

    fn schema() -> Schema {
        Schema::new(vec![
            Field::new("n", DataType::Int64, true),
            Field::new("m", DataType::Int64, true),
            Field::new("t", DataType::Utf8View, true),
        ])
    }

    fn held(column: &str, op: Operator, against: Arc<dyn PhysicalExpr>) -> Arc<dyn PhysicalExpr> {
        let schema = schema();
        binary(col(column, &schema).unwrap(), op, against, &schema).unwrap()
    }

    #[test]
    fn what_a_filter_costs_and_which_ones_stay_above() {
        let schema = schema();
        let text = || lit(datafusion::common::ScalarValue::Utf8View(Some("x%".to_owned())));
        assert_eq!(cost(&held("n", Operator::Gt, lit(1i64)), &schema), Some(Cost::Number));
        assert_eq!(cost(&held("t", Operator::Eq, text()), &schema), Some(Cost::Text));
        let pattern = like(false, false, col("t", &schema).unwrap(), text(), &schema).unwrap();
        assert_eq!(cost(&pattern, &schema), Some(Cost::Pattern));
        let columns = held("n", Operator::Lt, col("m", &schema).unwrap());
        assert_eq!(cost(&columns, &schema), None);
        let sum = held("n", Operator::Plus, lit(1i64));
        let sum = binary(sum, Operator::Gt, lit(1i64), &schema).unwrap();
        assert_eq!(cost(&sum, &schema), None);
        let cast = CastExpr::new(col("t", &schema).unwrap(), DataType::Int64, None);
        let cast = binary(Arc::new(cast), Operator::Gt, lit(1i64), &schema).unwrap();
        assert_eq!(cost(&cast, &schema), None);
    }

    #[test]
    fn both_ends_of_a_range_are_one_step_and_two_columns_are_two() {
        let filters = [
            held("n", Operator::GtEq, lit(1i64)),
            held("m", Operator::Lt, lit(5i64)),
            held("n", Operator::Lt, lit(9i64)),
            held("n", Operator::NotEq, lit(4i64)),
        ];
        let taken: Vec<_> = (0..filters.len()).map(|at| (Cost::Number, at)).collect();
        let steps = steps(&taken, &filters);
        assert_eq!(steps, [vec![0, 2], vec![1], vec![3]]);
        let range = together(&steps[0], &filters);
        assert_eq!(range.to_string(), "n@0 >= 1 AND n@0 < 9 OR false");
        assert_eq!(&together(&steps[1], &filters), &filters[1]);
    }
}
