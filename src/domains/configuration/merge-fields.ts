/** `{{path}}` or `{{path|fallback}}` in the texts of emails. The template language has no other syntax. */
export const MERGE_FIELD = /\{\{\s*([A-Za-z][\w.-]*)\s*(\|[^{}]*)?\}\}/g
