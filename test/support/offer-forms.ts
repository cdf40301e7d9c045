import { EXAMPLE_NEED } from './sourcing.ts'

/** Form fields for the requested rooms at one rate, as a supplier types them. */
const typeRooms = (rate: string) =>
  Object.fromEntries(
    EXAMPLE_NEED.roomsByNight!.flatMap(({ night, single }) => [
      [`count-standard-${night}`, String(single)],
      [`single-standard-${night}`, rate],
    ]),
  )

/** The response of supplier A in the worked example, as typed on the supplier's page: 101,644.00 net. */
export const SUPPLIER_A_OFFER_FORM: Record<string, string> = {
  ...typeRooms('200.00'),
  tax: '14',
  fee: '5.00',
  cutoff: '30',
  rental: '10,000.00',
  minimum: '30.000,00',
  'menu-0': '60',
  service: '22',
  foodTax: '9',
  comp: '50',
  rebate: '10.00',
  wifi: '3,000.00',
  commit: '80',
  valid: '2026-06-01',
  'cancelDays-1': '90',
  'cancelPercent-1': '50',
}

/** The response of supplier A in the first round: 17,349.00 more. */
export const SUPPLIER_A_FIRST_OFFER_FORM = { ...SUPPLIER_A_OFFER_FORM, ...typeRooms('220.00'), rental: '15,000.00', minimum: '35,000.00' }

/** The response of supplier B in the worked example: 97,655.40 net. */
export const SUPPLIER_B_OFFER_FORM: Record<string, string> = {
  ...typeRooms('215.00'),
  tax: '14',
  cutoff: '21',
  minimum: '20,000.00',
  'menu-0': '72',
  service: '20',
  foodTax: '9',
  comp: '40',
  valid: '2026-06-01',
}
