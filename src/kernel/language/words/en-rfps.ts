/** Requests for proposals: emails, pages and documents. */
export const rfps = {}
