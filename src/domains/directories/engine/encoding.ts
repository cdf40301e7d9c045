/** Filters that escape quotes in the literals of a query language. The encoding for path, query or body is applied afterwards. */
export const QUERY_ESCAPERS_BY_LANGUAGE = {
  odata: (text: string) => text.replaceAll("'", "''"),
  soql: (text: string) =>
    text
      .replace(/[\\'"]/g, '\\$&')
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r'),
} as const
export type QueryEscapeFilterName = keyof typeof QUERY_ESCAPERS_BY_LANGUAGE

export const isQueryEscapeFilterName = (name: string): name is QueryEscapeFilterName => Object.hasOwn(QUERY_ESCAPERS_BY_LANGUAGE, name)

/**
 * Percent-encodes one path segment, or the name or value of a query parameter. Stricter than encodeURIComponent, because servers differ
 * in which characters they treat as special.
 */
export const encodeUrlPart = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Encodes the name of a query parameter. Keeps the `$` of OData names, because some servers compare the name before decoding it. */
export const encodeParameterName = (name: string): string => encodeUrlPart(name).replaceAll('%24', '$')

/** Whether a text may be sent as a header value. Line breaks are not allowed, because they would start another header. */
export const isValidHeaderValue = (text: string): boolean => /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)

export const isValidHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)
