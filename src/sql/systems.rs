//! The grammars of other systems, as far as their queries differ from SQLite's.
//!
//! sqlparser's own dialects bring statements of every kind with them, a fifth of the page's size; these read queries
//! only. Where the parser asks which dialect it has, they stand for its own.

use std::any::TypeId;

use sqlparser::dialect::{BigQueryDialect, Dialect, MsSqlDialect};

/// Google BigQuery.
#[derive(Debug)]
pub(super) struct BigQuery;

impl Dialect for BigQuery {
    fn dialect(&self) -> TypeId {
        TypeId::of::<BigQueryDialect>()
    }

    fn is_delimited_identifier_start(&self, c: char) -> bool {
        c == '`'
    }

    fn is_identifier_start(&self, c: char) -> bool {
        c.is_ascii_alphabetic() || c == '_' || c == '@'
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_'
    }

    fn supports_projection_trailing_commas(&self) -> bool {
        true
    }

    fn supports_triple_quoted_string(&self) -> bool {
        true
    }

    fn supports_window_function_null_treatment_arg(&self) -> bool {
        true
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }

    fn supports_window_clause_named_window_reference(&self) -> bool {
        true
    }

    fn supports_select_wildcard_except(&self) -> bool {
        true
    }

    fn supports_select_wildcard_replace(&self) -> bool {
        true
    }

    fn require_interval_qualifier(&self) -> bool {
        true
    }

    fn supports_struct_literal(&self) -> bool {
        true
    }

    fn supports_select_expr_star(&self) -> bool {
        true
    }

    fn supports_table_versioning(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_comma_separated_trim(&self) -> bool {
        true
    }
}

/// Microsoft SQL Server.
#[derive(Debug)]
pub(super) struct SqlServer;

impl Dialect for SqlServer {
    fn dialect(&self) -> TypeId {
        TypeId::of::<MsSqlDialect>()
    }

    fn is_delimited_identifier_start(&self, c: char) -> bool {
        c == '"' || c == '['
    }

    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || matches!(c, '_' | '#' | '@')
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_alphabetic() || c.is_ascii_digit() || matches!(c, '_' | '#' | '@' | '$')
    }

    fn convert_type_before_value(&self) -> bool {
        true
    }

    fn supports_try_convert(&self) -> bool {
        true
    }

    fn supports_eq_alias_assignment(&self) -> bool {
        true
    }

    fn supports_named_fn_args_with_colon_operator(&self) -> bool {
        true
    }

    fn supports_table_versioning(&self) -> bool {
        true
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }

    fn supports_object_name_double_dot_notation(&self) -> bool {
        true
    }
}
