/** `{{path}}` or `{{path|fallback}}` in the texts of mails. There is no more to the language than this. */
export const MERGE_FIELD = /\{\{\s*([A-Za-z][\w.-]*)\s*(\|[^{}]*)?\}\}/g
