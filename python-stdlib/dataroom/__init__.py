"""What the room adds to the guest's Python.

A script never imports this package: its inputs are already there as DataFrames, it
leaves its answer in `result` and its tables in `outputs`, and `pd.read_parquet` and
`DataFrame.to_parquet` work. The modules, in the order in which a run meets them:

- `_run`        fetches the script, executes it, reports how it ended
- `_pruning`    which columns of an input a script can see
- `_reading`    Parquet into DataFrames, through the host
- `_writing`    DataFrames out, through the host
- `_parquet`    pandas' own Parquet functions on top of those two
- `_sql`        the room's SQL engine over the run's inputs
- `_layout`     labels of rows and columns, for both
- `_objects`    texts and dates, which the host makes and reads
- `_many_texts` many texts at once, through the host
- `_patterns`   regular expressions in the host's words
- `_group_corr` correlations of many groups, without a frame for each
- `_nesting`    lists, maps and structs, for both
- `_categories` categories that are not text, for both
- `_results`    `result` as JSON
- `_errors`     exceptions as their author needs to see them
- `_int32`      a 32-bit integer that was asked for is no C `long`
- `_ufuncs`     a ufunc computes in 64 bits before it does in longs
- `_narrowing`  64-bit integers where compiled code wants an index
- `_widening`   indices as a script sees them
- `_text`       text with a NUL in it
- `_memory`     what Python does not let one write
- `_snapshot`   the last things before the snapshot
- `_host_calls` the door
"""
