/** Stripe counts these in hundredths, though they have none. */
const HUNDREDTHS = new Set(['ISK', 'UGX'])

/** An amount in minor units, as Stripe counts that currency. */
export const toStripe = (amount: number, currency: string): string => String(amount * timesOf(currency))

export const fromStripe = (amount: number, currency: string): number => amount / timesOf(currency)

const timesOf = (currency: string) => (HUNDREDTHS.has(currency.toUpperCase()) ? 100 : 1)
