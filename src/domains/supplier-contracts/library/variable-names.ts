type Unit = 'percent' | 'days' | 'hours' | 'kilometres' | 'roomNights' | 'none'

/** The label and unit of each variable in the playbook. */
const VARIABLES: Readonly<Record<string, { label: string; unit: Unit }>> = {
  shoulderDays: { label: 'Days at the group rate before and after the event', unit: 'days' },
  cutoffDays: { label: 'Cut-off before arrival', unit: 'days' },
  commitPercent: { label: 'Committed share of the room block', unit: 'percent' },
  profitPercent: { label: 'Share of the rate charged for unused rooms', unit: 'percent' },
  step1Days: { label: 'First cancellation step before arrival', unit: 'days' },
  step1Percent: { label: 'Charge of the first cancellation step', unit: 'percent' },
  step2Days: { label: 'Second cancellation step before arrival', unit: 'days' },
  step2Percent: { label: 'Charge of the second cancellation step', unit: 'percent' },
  paymentDays: { label: 'Time to pay', unit: 'days' },
  deposit1Percent: { label: 'First deposit', unit: 'percent' },
  deposit2Percent: { label: 'Second deposit', unit: 'percent' },
  refundDays: { label: 'Time to return deposits', unit: 'days' },
  guaranteeDays: { label: 'Guaranteed number of guests before arrival', unit: 'days' },
  menuRisePercent: { label: 'Largest rise of menu prices', unit: 'percent' },
  compPer: { label: 'One free room per', unit: 'roomNights' },
  commissionPercent: { label: 'Commission', unit: 'percent' },
  commissionDays: { label: 'Time to pay the commission', unit: 'days' },
  absentPercent: { label: 'Share of guests who cannot come', unit: 'percent' },
  noticeDays: { label: 'Notice period', unit: 'days' },
  maxKm: { label: 'Distance of a replacement hotel', unit: 'kilometres' },
  certificateDays: { label: 'Insurance certificate before arrival', unit: 'days' },
  breachHours: { label: 'Time to report a data breach', unit: 'hours' },
  reportDays: { label: 'Time to report the rooms used', unit: 'days' },
  negotiationDays: { label: 'Time to negotiate a dispute', unit: 'days' },
}

const UNITS: Record<Unit, (value: number) => string> = {
  percent: (value) => `${value}%`,
  days: (value) => `${value} ${value === 1 ? 'day' : 'days'}`,
  hours: (value) => `${value} ${value === 1 ? 'hour' : 'hours'}`,
  kilometres: (value) => `${value} km`,
  roomNights: (value) => `${value} room nights`,
  none: String,
}

/** Returns the label of a variable. Names of variables that a client added are split into words. */
export function getVariableLabel(name: string): string {
  if (Object.hasOwn(VARIABLES, name)) return VARIABLES[name]!.label
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z0-9])|(?<=\d)(?=[A-Z])/g, ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Formats the value of a variable with its unit. */
export const formatVariableWithUnit = (name: string, value: number): string =>
  UNITS[Object.hasOwn(VARIABLES, name) ? VARIABLES[name]!.unit : 'none'](value)
