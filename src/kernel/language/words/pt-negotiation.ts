export const negotiation = {}
