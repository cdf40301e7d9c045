import { getCurrencyDecimals, type Money, sumMinorUnits, toMinorUnits, toMoney } from '../../../../kernel/money.ts'

/** Formats an amount without currency: "1,380.00", with a minus sign instead of a hyphen. The page states the currency once. */
export function formatAmountWithoutCurrency({ amount, currency }: Money): string {
  const digits = getCurrencyDecimals(currency)
  const format = new Intl.NumberFormat('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return format.format(amount as `${number}`).replace('-', '−')
}

/** Formats an amount with the currency code: "1,380.00 EUR". */
export const formatAmountWithCurrency = (money: Money): string => `${formatAmountWithoutCurrency(money)} ${money.currency}`

export const moneyToMinorUnits = ({ amount, currency }: Money): number => toMinorUnits(amount, currency)

export const sumMoney = (list: readonly Money[], currency: string): Money => toMoney(sumMinorUnits(list.map(moneyToMinorUnits)), currency)

export const negateMoney = ({ amount, currency }: Money): Money => toMoney(0 - toMinorUnits(amount, currency), currency)

export const isZeroMoney = (money: Money): boolean => moneyToMinorUnits(money) === 0

/**
 * Converts a typed amount to the format that the tools expect: people type "2,000.00", "2 000.00" or "108,50". A comma is a thousands
 * separator if three digits follow it and otherwise the decimal point. Everything else is left as typed, and the tool explains what is
 * wrong.
 */
export function parseEnteredAmount(typed: string, currency: string): Money {
  const text = typed.replaceAll(/[\s'’]/g, '').replace(new RegExp(`^${currency}|${currency}$`, 'i'), '')
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return { amount: text.replaceAll(',', ''), currency }
  if (/^\d+,\d{1,2}$/.test(text)) return { amount: text.replace(',', '.'), currency }
  return { amount: text, currency }
}
