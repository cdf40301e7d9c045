/** Quotes of a query language are escaped first; the encoding of the place comes after it. */
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

/** For one segment of a path or one side of a parameter. Stricter than a browser, because servers differ in what they take for a sign. */
export const encodePart = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The `$` of OData's own parameters stays readable: some servers compare the name before they decode it. */
export const encodeName = (name: string): string => encodePart(name).replaceAll('%24', '$')

/** What a header can carry; a line break would start another one. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)
