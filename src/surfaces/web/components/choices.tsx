import type { Child } from 'hono/jsx'
import { ErrorText } from './forms.tsx'

interface Option {
  value: string
  label: string
  help?: Child
}

export const RadioGroup = ({
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
    <ErrorText name={name} error={error} />
  </fieldset>
)
