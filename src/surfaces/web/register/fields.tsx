import type { Child } from 'hono/jsx'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { type AnswerRules, findQuestionRules } from '../../../domains/configuration/flow/answer-rules.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { COUNTRIES } from '../../../kernel/countries.ts'
import { compareTexts, formatCountryName } from '../../../kernel/language/format.ts'
import {
  buildAriaDescribedBy,
  Checkbox,
  ErrorText,
  LabelledField,
  type FieldProps,
  Input,
  Select,
  type SelectOption,
  TextArea,
} from '../components/forms.tsx'
import { RadioGroup } from '../components/choices.tsx'
import { findErrorMessage, type RegistrationPageView } from './view.ts'
import { getFieldLabel } from './messages.ts'

/** Values of the `autocomplete` attribute for browser autofill. */
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

type Control = WidgetOfType<'field'>['control']

export interface RegistrationQuestion {
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
  /** Form field name, if it differs from the binding (the field's name in the configuration, such as `@custom.diet`), as for guests. */
  name?: string
  /** Whether the question is about someone other than the user who fills in the form. If so, browser autofill is off. */
  aboutOthers?: boolean
}

const MAX_RADIO_CHOICES = 6

/** The part of the page view that the fields of questions need. Forms about other people, such as group members, provide it as well. */
export type QuestionFieldContext = Pick<RegistrationPageView, 'site' | 'config' | 'valueOf' | 'errors' | 'readOnlyReasons' | 'files'>

/** One question with the control that suits its answer type. */
export function QuestionField({ view, question }: { view: QuestionFieldContext; question: RegistrationQuestion }) {
  const { site, config, valueOf } = view
  const { say } = site.words
  const { binding, name = binding, required, readOnly = false, control = 'auto' } = question
  const rules = findQuestionRules(config, binding.replace(/^@guest\.\d+\./, '@participant.'))
  if (!rules) return null
  const field: FieldProps = {
    name,
    label: question.label ?? getFieldLabel(site.words, config, binding),
    optional: required || readOnly ? undefined : say('field.optional'),
    help: question.help ?? customHelp(view, binding),
    error: findErrorMessage(view, name) ?? findErrorMessage(view, binding),
  }
  const values = valueOf(name)
  const [value = ''] = values
  const readOnlyReason = view.readOnlyReasons.get(binding)
  if (readOnly || readOnlyReason !== undefined)
    return (
      <ReadOnlyField
        label={field.label}
        value={rules.type === 'file' ? (view.files.get(value)?.name ?? '') : value}
        help={readOnlyReason}
      />
    )
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
          <ErrorText name={name} error={field.error} />
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
        <ChoiceField
          view={view}
          field={field}
          value={value}
          control={control}
          options={optionsOf(view, rules, binding, question.choices, value)}
          required={required}
        />
      )
    case 'multiChoice':
      return <MultiChoiceField field={field} values={values} options={optionsOf(view, rules, binding, question.choices, ...values)} />
    case 'country':
      return (
        <Select {...shown} options={[{ value: '', label: say('field.choose') }, ...countriesIn(site.words.locale, question.countries)]} />
      )
    case 'file':
      return <UploadField view={view} field={field} value={value} binding={binding} />
    case 'longText':
      return <TextArea {...shown} rows={4} />
    default: {
      const asArea = control === 'textarea'
      const typed = asArea ? <TextArea {...shown} rows={4} /> : <Input {...shown} {...inputOf(rules)} required={false} />
      if (!question.confirm) return typed
      const again = NON_ANSWER_FORM_FIELDS.again(binding)
      return (
        <>
          {typed}
          <Input
            {...inputOf(rules)}
            name={again}
            label={say('field.again', { label: field.label })}
            value={valueOf(again)[0] ?? value}
            autocomplete="off"
            error={findErrorMessage(view, again)}
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

const customHelp = ({ config }: QuestionFieldContext, binding: string): string | undefined =>
  config.customFields.find(({ code }) => binding === `@custom.${code}`)?.help ?? undefined

function optionsOf(
  { config }: QuestionFieldContext,
  rules: AnswerRules,
  binding: string,
  part: readonly string[] | null | undefined,
  ...kept: string[]
): SelectOption[] {
  const names = new Map(
    config.customFields.find(({ code }) => binding === `@custom.${code}`)?.choices.map(({ code, name }) => [code, name]),
  )
  const wanted = part ?? rules.choices.map(({ code }) => code)
  return wanted
    .filter((code) => kept.includes(code) || rules.choices.some((choice) => choice.code === code && !choice.retired))
    .map((code) => ({ value: code, label: names.get(code) ?? code }))
}

const countryNames = new Map<string, SelectOption[]>()

function countriesIn(locale: string, only: readonly string[] | null | undefined): SelectOption[] {
  const known = countryNames.get(locale)
  const all =
    known ??
    [...COUNTRIES.keys()]
      .map((code) => ({ value: code, label: formatCountryName(locale, code) }))
      .toSorted((a, b) => compareTexts(locale, a.label, b.label))
  if (!known) countryNames.set(locale, all)
  return only ? all.filter(({ value }) => only.includes(value)) : all
}

/** A value that is shown but cannot be edited here. */
const ReadOnlyField = ({ label, value, help }: { label: string; value: string; help?: string | undefined }) => (
  <dl class="field">
    <dt>{label}</dt>
    <dd class="given">{value || '—'}</dd>
    {help ? <dd class="help">{help}</dd> : null}
  </dl>
)

interface ChoiceProps {
  field: FieldProps
  options: readonly SelectOption[]
}

const Legend = ({ field }: { field: FieldProps }) => (
  <legend class="legend">
    {field.label}
    {field.optional ? <span class="optional"> {field.optional}</span> : null}
  </legend>
)

interface FieldGroupProps {
  field: FieldProps
  /** Whether the help text comes before the controls, because users need it to fill them in. */
  helpFirst?: boolean
  children: Child
}

export const FieldGroup = ({ field, helpFirst = false, children }: FieldGroupProps) => {
  const help = field.help ? (
    <span class="help" id={`${field.name}-help`}>
      {field.help}
    </span>
  ) : null
  return (
    <fieldset class="field question" id={field.name} tabindex={-1} aria-describedby={buildAriaDescribedBy(field)}>
      <Legend field={field} />
      {helpFirst ? help : null}
      {children}
      {helpFirst ? null : help}
      <ErrorText name={field.name} error={field.error} />
    </fieldset>
  )
}

const Segments = ({ field, options, value }: ChoiceProps & { value: string }) => (
  <FieldGroup field={field}>
    <div class="segments">
      {options.map((option) => (
        <label>
          <input type="radio" name={field.name} value={option.value} checked={option.value === value} />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  </FieldGroup>
)

function ChoiceField({
  view,
  field,
  options,
  value,
  control,
  required,
}: ChoiceProps & { view: QuestionFieldContext; value: string; control: Control; required: boolean }) {
  if (control === 'buttons') return <Segments field={field} options={options} value={value} />
  if (control === 'select' || (control === 'auto' && options.length > MAX_RADIO_CHOICES))
    return <Select {...field} value={value} options={[{ value: '', label: view.site.words.say('field.choose') }, ...options]} />
  const { name, label, error, help } = field
  const none = required ? [] : [{ value: '', label: view.site.words.say('register.none') }]
  return (
    <div class="options-plain">
      <RadioGroup name={name} legend={label} options={[...options, ...none]} value={value} error={error} />
      {help ? <span class="help">{help}</span> : null}
    </div>
  )
}

const MultiChoiceField = ({ field, options, values }: ChoiceProps & { values: readonly string[] }) => (
  <FieldGroup field={field}>
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
  </FieldGroup>
)

const megabytes = (bytes: number) => Math.max(1, Math.round(bytes / 1_048_576))

function UploadField({ view, field, value, binding }: { view: QuestionFieldContext; field: FieldProps; value: string; binding: string }) {
  const { site, config, files } = view
  const { say } = site.words
  const custom = config.customFields.find(({ code }) => binding === `@custom.${code}`)
  const savedFile = files.get(value)
  const help =
    binding === '@participant.headshot'
      ? say('register.photoHelp', { megabytes: 5 })
      : say('register.fileHelp', { megabytes: megabytes(custom?.maxBytes ?? 0) })
  const accept = custom ? custom.accept.join(',') : 'image/jpeg,image/png,image/webp'
  return (
    <LabelledField field={{ ...field, help: savedFile ? say('field.file', { name: savedFile.name }) : help }}>
      {savedFile?.isPicture ? <img class="preview" src={savedFile.link} alt={savedFile.name} /> : null}
      <input
        id={field.name}
        name={field.name}
        type="file"
        accept={accept || undefined}
        aria-invalid={field.error ? 'true' : undefined}
        aria-describedby={buildAriaDescribedBy({ ...field, help })}
      />
    </LabelledField>
  )
}
