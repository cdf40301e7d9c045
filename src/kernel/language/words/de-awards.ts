export const awards = {}
