/** Escapes quotes of a query language. The encoding for path, query or body is applied afterwards. */
export const FILTERS = {
  odata: (text: string) => text.replaceAll("'", "''"),
  soql: (text: string) =>
    text
      .replace(/[\\'"]/g, '\\$&')
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r'),
} as const
export type FilterName = keyof typeof FILTERS

export const isFilter = (name: string): name is FilterName => Object.hasOwn(FILTERS, name)

/**
 * Encodes one path segment or one side of a parameter. Stricter than encodeURIComponent, because servers differ in which characters they
 * treat as special.
 */
export const encodePart = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Keeps the `$` of OData parameters: some servers compare the name before decoding it. */
export const encodeName = (name: string): string => encodePart(name).replaceAll('%24', '$')

/** Excludes line breaks, which would start another header. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)
