/** Stripe counts these currencies in hundredths, though they have no smaller unit. */
const HUNDREDTHS = new Set(['ISK', 'UGX'])

/** An amount in minor units, as Stripe counts that currency. */
export const toStripe = (amount: number, currency: string): number => amount * factorOf(currency)

export const fromStripe = (amount: number, currency: string): number => amount / factorOf(currency)

const factorOf = (currency: string) => (HUNDREDTHS.has(currency.toUpperCase()) ? 100 : 1)
