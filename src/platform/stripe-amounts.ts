/** Currencies that Stripe counts in hundredths, although they have no smaller unit. */
const HUNDREDTHS = new Set(['ISK', 'UGX'])

/** Converts an amount in minor units to the units in which Stripe counts the currency. */
export const toStripeAmount = (amount: number, currency: string): number => amount * factorOf(currency)

export const fromStripeAmount = (amount: number, currency: string): number => amount / factorOf(currency)

const factorOf = (currency: string) => (HUNDREDTHS.has(currency.toUpperCase()) ? 100 : 1)
