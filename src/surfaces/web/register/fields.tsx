import type { Child } from 'hono/jsx'
import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { type AnswerRules, rulesOf } from '../../../domains/configuration/flow/values.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { COUNTRIES } from '../../../kernel/countries.ts'
import { Checkbox, describedBy, Around, type FieldProps, Input, type Option, Select, TextArea } from '../components/forms.tsx'
import { Radios } from '../components/choices.tsx'
import { errorAt, type View } from './view.ts'
import { labelFor } from './words.ts'

/** What a browser may fill in by itself. */
const AUTOCOMPLETE: Record<string, string> = {
  prefix: 'honorific-prefix',
  firstName: 'given-name',
  lastName: 'family-name',
  suffix: 'honorific-suffix',
  preferredName: 'nickname',
  email: 'email',
  jobTitle: 'organization-title',
  company: 'organization',
  website: 'url',
  workPhone: 'work tel',
  mobilePhone: 'mobile tel',
  address1: 'address-line1',
  address2: 'address-line2',
  city: 'address-level2',
  region: 'address-level1',
  postalCode: 'postal-code',
  country: 'country',
  language: 'language',
}

const autocompleteOf = (binding: string) =>
  binding.startsWith('@participant.') ? AUTOCOMPLETE[binding.slice('@participant.'.length)] : undefined

type Control = WidgetOf<'field'>['control']

export interface Question {
  binding: string
  required: boolean
  label?: string | null
  help?: string | null
  placeholder?: string | null
  control?: Control
  readOnly?: boolean
  confirm?: boolean
  choices?: readonly string[] | null
  countries?: readonly string[] | null
  /** Where it is not sent under its binding, as for a guest. */
  name?: string
  /** Asked of somebody else than whom it is about: the browser fills in nothing. */
  aboutOthers?: boolean
}

const FEW_CHOICES = 6

/** What a question is drawn from, also where it is not asked of whom it is about. */
export type Asking = Pick<View, 'place' | 'config' | 'valueOf' | 'errors' | 'given' | 'files'>

/** One question with the control that suits its answers. */
export function Asked({ view, question }: { view: Asking; question: Question }) {
  const { place, config, valueOf } = view
  const { say } = place.words
  const { binding, name = binding, required, readOnly = false, control = 'auto' } = question
  const rules = rulesOf(config, binding.replace(/^@guest\.\d+\./, '@participant.'))
  if (!rules) return null
  const field: FieldProps = {
    name,
    label: question.label ?? labelFor(place.words, config, binding),
    optional: required || readOnly ? undefined : say('field.optional'),
    help: question.help ?? customHelp(view, binding),
    error: errorAt(view, name) ?? errorAt(view, binding),
  }
  const values = valueOf(name)
  const [value = ''] = values
  const given = view.given.get(binding)
  if (readOnly || given !== undefined)
    return <Given label={field.label} value={rules.type === 'file' ? (view.files.get(value)?.name ?? '') : value} help={given} />
  const shown = {
    ...field,
    value,
    autocomplete: question.aboutOthers ? 'off' : autocompleteOf(binding),
    placeholder: question.placeholder ?? undefined,
  }
  switch (rules.type) {
    case 'boolean':
      return control === 'checkboxes' ? (
        <div class="field">
          <input type="hidden" name={name} value="false" />
          <Checkbox name={name} label={field.label} help={field.help} value="true" checked={values.at(-1) === 'true'} />
          <Wrong name={name} error={field.error} />
        </div>
      ) : (
        <Segments
          field={field}
          value={values.at(-1) ?? ''}
          options={[
            { value: 'true', label: say('yes') },
            { value: 'false', label: say('no') },
          ]}
        />
      )
    case 'choice':
      return (
        <OneOf
          view={view}
          field={field}
          value={value}
          control={control}
          options={optionsOf(view, rules, binding, question.choices, value)}
          required={required}
        />
      )
    case 'multiChoice':
      return <SomeOf field={field} values={values} options={optionsOf(view, rules, binding, question.choices, ...values)} />
    case 'country':
      return (
        <Select {...shown} options={[{ value: '', label: say('field.choose') }, ...countriesIn(place.words.locale, question.countries)]} />
      )
    case 'file':
      return <Upload view={view} field={field} value={value} binding={binding} />
    case 'longText':
      return <TextArea {...shown} rows={4} />
    default: {
      const asArea = control === 'textarea'
      const typed = asArea ? <TextArea {...shown} rows={4} /> : <Input {...shown} {...inputOf(rules)} required={false} />
      if (!question.confirm) return typed
      const again = FIELDS.again(binding)
      return (
        <>
          {typed}
          <Input
            {...inputOf(rules)}
            name={again}
            label={say('field.again', { label: field.label })}
            value={valueOf(again)[0] ?? value}
            autocomplete="off"
            error={errorAt(view, again)}
          />
        </>
      )
    }
  }
}

const inputOf = ({ type, min, max, maxLength }: AnswerRules) => {
  if (type === 'email') return { type: 'email', inputmode: 'email' } as const
  if (type === 'phone') return { type: 'tel', inputmode: 'tel' } as const
  if (type === 'url') return { type: 'url', inputmode: 'url' } as const
  if (type === 'number') return { inputmode: 'decimal' } as const
  if (type === 'date') return { type: 'date', min: min ?? undefined, max: max ?? undefined } as const
  return maxLength === null ? {} : { maxlength: maxLength }
}

const customHelp = ({ config }: Asking, binding: string): string | undefined =>
  config.customFields.find(({ code }) => binding === `@custom.${code}`)?.help ?? undefined

function optionsOf(
  { config }: Asking,
  rules: AnswerRules,
  binding: string,
  part: readonly string[] | null | undefined,
  ...kept: string[]
): Option[] {
  const names = new Map(
    config.customFields.find(({ code }) => binding === `@custom.${code}`)?.choices.map(({ code, name }) => [code, name]),
  )
  const wanted = part ?? rules.choices.map(({ code }) => code)
  return wanted
    .filter((code) => kept.includes(code) || rules.choices.some((choice) => choice.code === code && !choice.retired))
    .map((code) => ({ value: code, label: names.get(code) ?? code }))
}

const countryNames = new Map<string, Option[]>()

function countriesIn(locale: string, only: readonly string[] | null | undefined): Option[] {
  const known = countryNames.get(locale)
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  const all =
    known ??
    [...COUNTRIES.keys()]
      .map((code) => ({ value: code, label: names.of(code) ?? code }))
      .toSorted((a, b) => a.label.localeCompare(b.label, locale))
  if (!known) countryNames.set(locale, all)
  return only ? all.filter(({ value }) => only.includes(value)) : all
}

const Wrong = ({ name, error }: { name: string; error: string | undefined }) =>
  error ? (
    <span class="error" id={`${name}-error`}>
      {error}
    </span>
  ) : null

/** What is known already is shown and not asked. */
const Given = ({ label, value, help }: { label: string; value: string; help?: string | undefined }) => (
  <dl class="field">
    <dt>{label}</dt>
    <dd class="given">{value || '—'}</dd>
    {help ? <dd class="help">{help}</dd> : null}
  </dl>
)

interface Choosing {
  field: FieldProps
  options: readonly Option[]
}

const Legend = ({ field }: { field: FieldProps }) => (
  <legend class="legend">
    {field.label}
    {field.optional ? <span class="optional"> {field.optional}</span> : null}
  </legend>
)

export const Group = ({ field, children }: { field: FieldProps; children: Child }) => (
  <fieldset class="field question" id={field.name} tabindex={-1} aria-describedby={describedBy(field)}>
    <Legend field={field} />
    {children}
    {field.help ? (
      <span class="help" id={`${field.name}-help`}>
        {field.help}
      </span>
    ) : null}
    <Wrong name={field.name} error={field.error} />
  </fieldset>
)

const Segments = ({ field, options, value }: Choosing & { value: string }) => (
  <Group field={field}>
    <div class="segments">
      {options.map((option) => (
        <label>
          <input type="radio" name={field.name} value={option.value} checked={option.value === value} />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  </Group>
)

function OneOf({
  view,
  field,
  options,
  value,
  control,
  required,
}: Choosing & { view: Asking; value: string; control: Control; required: boolean }) {
  if (control === 'buttons') return <Segments field={field} options={options} value={value} />
  if (control === 'select' || (control === 'auto' && options.length > FEW_CHOICES))
    return <Select {...field} value={value} options={[{ value: '', label: view.place.words.say('field.choose') }, ...options]} />
  const { name, label, error, help } = field
  const none = required ? [] : [{ value: '', label: view.place.words.say('register.none') }]
  return (
    <div class="options-plain">
      <Radios name={name} legend={label} options={[...options, ...none]} value={value} error={error} />
      {help ? <span class="help">{help}</span> : null}
    </div>
  )
}

const SomeOf = ({ field, options, values }: Choosing & { values: readonly string[] }) => (
  <Group field={field}>
    <div>
      {options.map((option) => (
        <Checkbox
          id={`${field.name}-${option.value}`}
          name={field.name}
          label={option.label}
          value={option.value}
          checked={values.includes(option.value)}
        />
      ))}
    </div>
  </Group>
)

const megabytes = (bytes: number) => Math.max(1, Math.round(bytes / 1_048_576))

function Upload({ view, field, value, binding }: { view: Asking; field: FieldProps; value: string; binding: string }) {
  const { place, config, files } = view
  const { say } = place.words
  const custom = config.customFields.find(({ code }) => binding === `@custom.${code}`)
  const kept = files.get(value)
  const help =
    binding === '@participant.headshot'
      ? say('register.photoHelp', { megabytes: 5 })
      : say('register.fileHelp', { megabytes: megabytes(custom?.maxBytes ?? 0) })
  const accept = custom ? custom.accept.join(',') : 'image/jpeg,image/png,image/webp'
  return (
    <Around field={{ ...field, help: kept ? say('field.file', { name: kept.name }) : help }}>
      {kept?.isPicture ? <img class="preview" src={kept.link} alt={kept.name} /> : null}
      <input
        id={field.name}
        name={field.name}
        type="file"
        accept={accept || undefined}
        aria-invalid={field.error ? 'true' : undefined}
        aria-describedby={describedBy({ ...field, help })}
      />
    </Around>
  )
}
