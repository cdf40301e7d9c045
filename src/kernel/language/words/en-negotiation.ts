/** Contracts with suppliers: emails, pages and documents. */
export const negotiation = {}
