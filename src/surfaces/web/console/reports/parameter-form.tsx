import type { ParameterValues, ReportParameter } from '../../../../domains/reports/designed/parameters.ts'
import { PARTICIPANT_STATUSES } from '../../../../domains/registration/tables.ts'
import { createFieldPropsGetter } from '../../components/form-page.tsx'
import { Input, Select } from '../../components/forms.tsx'
import { Card } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import type { ParameterChoices } from './parameter-choices.ts'

export const PARAMETER_FIELD_PREFIX = 'p-'

/** Reads the parameter values in the URL of a page. Empty fields use the default. */
export function readReportParameterValues(
  parameters: readonly ReportParameter[],
  query: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const entries = parameters.flatMap(({ name, type }): [string, unknown][] => {
    const text = (query[`${PARAMETER_FIELD_PREFIX}${name}`] ?? '').trim()
    if (text === '') return []
    if (type === 'number') return [[name, Number.isNaN(Number(text)) ? text : Number(text)]]
    if (type === 'boolean') return [[name, text === 'yes']]
    if (type === 'codes') return [[name, text.split(/[\s,;]+/).filter((one) => one !== '')]]
    return [[name, text]]
  })
  return Object.fromEntries(entries)
}

const toText = (value: ParameterValues[string] | undefined): string =>
  value === undefined ? '' : Array.isArray(value) ? value.join(', ') : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)

const BOOLEANS = [
  { value: '', label: 'Any' },
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
]

const PLACEHOLDERS: Partial<Record<ReportParameter['type'], string>> = { code: 'One code', codes: 'Codes, separated by commas' }

/** Returns a help text with examples of values; undefined unless the parameter is a participant status. */
const helpFor = ({ name, type }: ReportParameter) =>
  name === 'status' && type !== 'day' ? `For example ${PARTICIPANT_STATUSES.join(', ')}` : undefined

interface ParameterFormProps {
  action: string
  parameters: readonly ReportParameter[]
  values: ParameterValues
  choices: ParameterChoices
  query: Readonly<Record<string, string>>
  formErrors: FormErrors | null
}

/** The form for the parameter values of a report run. It is a GET form, so that its URL can be shared. */
export const ParameterForm = ({ action, parameters, values, choices, query, formErrors }: ParameterFormProps) => {
  const shown = Object.fromEntries(
    parameters.map(({ name }) => [`${PARAMETER_FIELD_PREFIX}${name}`, query[`${PARAMETER_FIELD_PREFIX}${name}`] ?? toText(values[name])]),
  )
  const errors = formErrors?.errors?.map(({ path, message }) => ({ path: path.replace(/^parameters\//, PARAMETER_FIELD_PREFIX), message }))
  const field = createFieldPropsGetter(shown, errors ? { errors } : null)
  /** Returns the options of a parameter's select list; none if the current value is no single option, for example a list of codes. */
  const choicesOf = (name: string) => {
    const known = choices[name] ?? []
    const value = shown[`${PARAMETER_FIELD_PREFIX}${name}`]
    return value === '' || known.some((one) => one.value === value) ? known : []
  }
  return (
    <Card>
      <form method="get" action={action} class="report-parameters">
        {parameters.map((parameter) =>
          parameter.type === 'boolean' ? (
            <Select {...field(`${PARAMETER_FIELD_PREFIX}${parameter.name}`)} label={parameter.label} options={BOOLEANS} />
          ) : choicesOf(parameter.name).length > 0 ? (
            <Select
              {...field(`${PARAMETER_FIELD_PREFIX}${parameter.name}`)}
              label={parameter.label}
              options={[{ value: '', label: parameter.required ? 'Choose' : 'Any' }, ...choicesOf(parameter.name)]}
            />
          ) : (
            <Input
              {...field(`${PARAMETER_FIELD_PREFIX}${parameter.name}`)}
              label={parameter.label}
              type={parameter.type === 'day' ? 'date' : 'text'}
              optional={parameter.required ? undefined : '(optional)'}
              placeholder={PLACEHOLDERS[parameter.type]}
              help={helpFor(parameter)}
              autocomplete="off"
            />
          ),
        )}
        <button type="submit" class="button primary">
          Show
        </button>
      </form>
    </Card>
  )
}
