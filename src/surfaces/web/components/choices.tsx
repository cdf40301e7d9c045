import type { Child } from 'hono/jsx'
import { COUNTRIES } from '../../../kernel/countries.ts'

interface Option {
  value: string
  label: string
  help?: Child
}

/** One of a few, all of them in sight. */
export const Radios = ({
  name,
  legend,
  options,
  value,
  error,
}: {
  name: string
  legend: string
  options: readonly Option[]
  value?: string | undefined
  error?: string | undefined
}) => (
  <fieldset class="field" id={name} tabindex={-1} aria-describedby={error ? `${name}-error` : undefined}>
    <legend class="legend">{legend}</legend>
    {options.map((option) => (
      <div class="choice">
        <input
          id={`${name}-${option.value}`}
          name={name}
          type="radio"
          value={option.value}
          checked={option.value === value}
          aria-describedby={option.help ? `${name}-${option.value}-help` : undefined}
        />
        <div>
          <label for={`${name}-${option.value}`}>{option.label}</label>
          {option.help ? (
            <div class="help" id={`${name}-${option.value}-help`}>
              {option.help}
            </div>
          ) : null}
        </div>
      </div>
    ))}
    {error ? (
      <span class="error" id={`${name}-error`}>
        {error}
      </span>
    ) : null}
  </fieldset>
)

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const currencies = new Intl.DisplayNames('en', { type: 'currency' })
/** Money that is still spent; others can be typed. */
const CURRENCIES =
  'AED ARS AUD BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW KWD MAD MXN MYR NGN NOK NZD PEN PHP PLN QAR RON RSD SAR SEK SGD THB TND TRY TWD UAH USD UYU VND ZAR'.split(
    ' ',
  )

/** What is offered while one types a code; they stand once on a page and many fields use them. */
export const CountryList = () => (
  <datalist id="countries">
    {[...COUNTRIES.keys()].map((code) => (
      <option value={code}>{regions.of(code)}</option>
    ))}
  </datalist>
)

export const CurrencyList = () => (
  <datalist id="currencies">
    {CURRENCIES.map((code) => (
      <option value={code}>{currencies.of(code)}</option>
    ))}
  </datalist>
)

export const ZoneList = () => (
  <datalist id="zones">
    {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
      <option>{zone}</option>
    ))}
  </datalist>
)
