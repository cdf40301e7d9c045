import { COUNTRIES } from '../../../kernel/countries.ts'
import { isCurrency } from '../../../kernel/money.ts'
import { type FieldProps, type Option, Select } from './forms.tsx'

interface CodeProps extends FieldProps {
  value?: string | undefined
  /** What choosing nothing is called, where that is allowed. */
  none?: string | undefined
}

const byLabel = (a: Option, b: Option) => a.label.localeCompare(b.label, 'en')

const regions = new Intl.DisplayNames('en', { type: 'region' })
const COUNTRY_OPTIONS = [...COUNTRIES.keys()].map((code) => ({ value: code, label: `${regions.of(code)} (${code})` })).toSorted(byLabel)

/** Germany (DE); a code that names no country of today as it is written. */
export const countryInWords = (code: string): string => COUNTRY_OPTIONS.find(({ value }) => value === code)?.label ?? code

/** Intl knows them for the sake of old records: money that nobody pays with any more, and units that banks count in. */
const UNSPENT = new Set(['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'XDR', 'XSU', 'ZWL'])
const currencies = new Intl.DisplayNames('en', { type: 'currency' })
const CURRENCIES = Intl.supportedValuesOf('currency')
  .filter((code) => isCurrency(code) && !UNSPENT.has(code))
  .map((code) => ({ value: code, label: `${currencies.of(code)} (${code})` }))
  .toSorted(byLabel)

/** Places whose zone Intl still lists under a name that they have given up. Both are understood. */
const RENAMED: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}
const ZONES = [...new Set(Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone))].toSorted()
const ZONE_GROUPS = [...Map.groupBy(ZONES, (zone) => zone.split('/')[0]!)].map(([label, zones]) => ({
  label,
  options: zones.map((zone) => ({ value: zone, label: zone })),
}))

/** What is kept already stays a choice, whatever the list says: looking at a form must not change it. */
const withValue = (options: readonly Option[], { value, none }: CodeProps): readonly Option[] => [
  ...(none === undefined && value ? [] : [{ value: '', label: none ?? 'Choose one' }]),
  ...(value && !options.some((option) => option.value === value) ? [{ value, label: value }] : []),
  ...options,
]

export const CountrySelect = (field: CodeProps) => <Select {...field} options={withValue(COUNTRY_OPTIONS, field)} />

export const CurrencySelect = (field: CodeProps) => <Select {...field} options={withValue(CURRENCIES, field)} />

export const ZoneSelect = (field: CodeProps) => {
  const known = field.value === 'UTC' || ZONES.includes(field.value ?? '')
  const first = [{ value: 'UTC', label: 'UTC' }]
  return <Select {...field} options={withValue(first, known ? { ...field, value: 'UTC' } : field)} groups={ZONE_GROUPS} />
}
