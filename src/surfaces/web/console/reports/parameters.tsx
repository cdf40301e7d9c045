import type { ReportParameter } from '../../../../domains/reports/designed/parameters.ts'
import { Checkbox, Input } from '../../components/forms.tsx'
import type { FormValues } from '../../form-values.ts'

const INPUT_TYPES = { day: 'date', number: 'number', code: 'text', codes: 'text', text: 'text', boolean: 'text' } as const

/** The input fields of a report's parameters. */
export const ParameterFields = ({
  parameters,
  form,
  errors = [],
}: {
  parameters: readonly ReportParameter[]
  form: FormValues
  errors?: readonly { path: string; message: string }[]
}) => (
  <div class="fields-2">
    {parameters.map(({ name, label, type, required }) =>
      type === 'boolean' ? (
        <Checkbox name={name} label={label} checked={Boolean(form[name])} />
      ) : (
        <Input
          name={name}
          label={label}
          type={INPUT_TYPES[type]}
          value={form[name] ?? ''}
          required={required}
          help={type === 'codes' ? 'Codes, separated by commas' : undefined}
          error={errors.find(({ path }) => path.replace(/^parameters[./]/, '') === name)?.message}
        />
      ),
    )}
  </div>
)

/** The parameters of a form as the tool expects them. Empty fields are left out. */
export function readParameterForm(parameters: readonly ReportParameter[], form: FormValues): Record<string, unknown> {
  const values = parameters.flatMap(({ name, type }): [string, unknown][] => {
    const text = (form[name] ?? '').trim()
    if (text === '') return []
    if (type === 'number') return [[name, Number(text)]]
    if (type === 'boolean') return [[name, true]]
    return [[name, type === 'codes' ? text.split(/[\s,]+/).filter(Boolean) : text]]
  })
  return Object.fromEntries(values)
}
