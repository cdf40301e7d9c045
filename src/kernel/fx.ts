/** The configured sources of exchange rates. Without any source, amounts in foreign currencies are not converted. */
export interface ExchangeRateSettings {
  /** The path of a CSV file with the columns day, currency and perEur. */
  file: string | null
  /** The address of the history of the ECB's reference rates. */
  ecbUrl: string | null
}
