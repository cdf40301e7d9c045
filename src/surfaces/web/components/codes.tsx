import { COUNTRIES } from '../../../kernel/countries.ts'
import { isCurrency } from '../../../kernel/money.ts'
import { type FieldProps, type SelectOption, Select } from './forms.tsx'

interface CodeProps extends FieldProps {
  value?: string | undefined
  /** Label of the empty option, if the field is optional. */
  none?: string | undefined
}

const byLabel = (a: SelectOption, b: SelectOption) => a.label.localeCompare(b.label, 'en')

const regions = new Intl.DisplayNames('en', { type: 'region' })
const COUNTRY_OPTIONS = [...COUNTRIES.keys()].map((code) => ({ value: code, label: `${regions.of(code)} (${code})` })).toSorted(byLabel)

/** Formats a country as "Germany (DE)"; an unknown code is returned unchanged. */
export const formatCountryWithCode = (code: string): string => COUNTRY_OPTIONS.find(({ value }) => value === code)?.label ?? code

/** Currencies that Intl lists but that cannot be used for payments: withdrawn ones and accounting units. */
const UNUSABLE_CURRENCIES = new Set(['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'XDR', 'XSU', 'ZWL'])
const currencies = new Intl.DisplayNames('en', { type: 'currency' })
const CURRENCIES = Intl.supportedValuesOf('currency')
  .filter((code) => isCurrency(code) && !UNUSABLE_CURRENCIES.has(code))
  .map((code) => ({ value: code, label: `${currencies.of(code)} (${code})` }))
  .toSorted(byLabel)

/** Time zones that Intl lists under a former name, with their current name. Both names are valid. */
const CURRENT_ZONE_NAMES: Record<string, string> = {
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
const ZONES = [...new Set(Intl.supportedValuesOf('timeZone').map((zone) => CURRENT_ZONE_NAMES[zone] ?? zone))].toSorted()
const ZONE_GROUPS = [...Map.groupBy(ZONES, (zone) => zone.split('/')[0]!)].map(([label, zones]) => ({
  label,
  options: zones.map((zone) => ({ value: zone, label: zone })),
}))

/** Adds the current value to the options if it is missing there, so that saving an unchanged form never changes it. */
const withValue = (options: readonly SelectOption[], { value, none }: CodeProps): readonly SelectOption[] => [
  ...(none === undefined && value ? [] : [{ value: '', label: none ?? 'Choose one' }]),
  ...(value && !options.some((option) => option.value === value) ? [{ value, label: value }] : []),
  ...options,
]

export const CountrySelect = (field: CodeProps) => <Select {...field} options={withValue(COUNTRY_OPTIONS, field)} />

export const CurrencySelect = (field: CodeProps) => <Select {...field} options={withValue(CURRENCIES, field)} />

export const TimeZoneSelect = (field: CodeProps) => {
  const known = field.value === 'UTC' || ZONES.includes(field.value ?? '')
  const first = [{ value: 'UTC', label: 'UTC' }]
  return <Select {...field} options={withValue(first, known ? { ...field, value: 'UTC' } : field)} groups={ZONE_GROUPS} />
}
