/** Signing of contracts: emails, pages and certificates. */
export const signing = {}
