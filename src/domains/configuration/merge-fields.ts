/** Matches a merge field in the text of an email: `{{path}}` or `{{path|fallback}}`. The template language has no other syntax. */
export const MERGE_FIELD_PATTERN = /\{\{\s*([A-Za-z][\w.-]*)\s*(\|[^{}]*)?\}\}/g
