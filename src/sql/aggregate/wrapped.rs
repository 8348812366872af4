//! What a function in the place of another leaves as it was.

/// The methods of `AggregateUDFImpl` that say what a function is and not how it counts,
/// asked of the field `function`, an `Arc<AggregateUDF>`.
macro_rules! as_the_engine_has_it {
    () => {
        fn name(&self) -> &str {
            self.function.name()
        }

        fn aliases(&self) -> &[String] {
            self.function.aliases()
        }

        fn signature(&self) -> &Signature {
            self.function.signature()
        }

        fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
            self.function.coerce_types(types)
        }

        fn is_nullable(&self) -> bool {
            self.function.is_nullable()
        }

        fn default_value(&self, data_type: &DataType) -> Result<ScalarValue> {
            self.function.default_value(data_type)
        }

        fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
            self.function.state_fields(args)
        }

        fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
            self.function.groups_accumulator_supported(args)
        }

        fn simplify(&self) -> Option<AggregateFunctionSimplification> {
            self.function.simplify()
        }

        fn is_descending(&self) -> Option<bool> {
            self.function.is_descending()
        }

        fn supports_null_handling_clause(&self) -> bool {
            self.function.supports_null_handling_clause()
        }

        fn supports_within_group_clause(&self) -> bool {
            self.function.supports_within_group_clause()
        }

        fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
            self.function.inner().set_monotonicity(data_type)
        }
    };
}

pub(super) use as_the_engine_has_it;
