export const rfps = {}
