/** Awards: emails to suppliers. */
export const awards = {}
