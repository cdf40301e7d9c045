import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { FieldError } from '../../../kernel/errors.ts'

export type FieldErrors = readonly FieldError[]

export const findFieldError = (errors: FieldErrors | undefined, name: string): string | undefined =>
  errors?.find((e) => e.path === name)?.message

/** Lists all errors at the top of the form, focused when the page opens. Each error links to its field. */
export const ErrorSummary = ({ errors, message }: { errors?: FieldErrors | undefined; message?: string | undefined }) => {
  if (!message && !errors?.length) return null
  return (
    <div class="notice danger" role="alert" tabindex={-1}>
      <strong>{message ?? 'Please fix the following:'}</strong>
      {errors?.length ? (
        <ul>
          {errors.map((error) => (
            <li>{error.path ? <a href={`#${error.path}`}>{error.message}</a> : error.message}</li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

export interface FieldProps {
  name: string
  label: string
  /** The word after the label of an optional field, such as "optional". */
  optional?: string | undefined
  help?: Child
  error?: string | undefined
}

export const buildAriaDescribedBy = ({ name, help, error }: FieldProps) =>
  [help && `${name}-help`, error && `${name}-error`].filter(Boolean).join(' ') || undefined

/** The error of a form control. */
export const ErrorText = ({ name, error }: Pick<FieldProps, 'name' | 'error'>) =>
  error ? (
    <span class="error" id={`${name}-error`}>
      {error}
    </span>
  ) : null

/** The label of a form control, and the word after it if the field is optional. */
export const LabelText = ({ label, optional }: Pick<FieldProps, 'label' | 'optional'>) => (
  <>
    {label}
    {optional ? <span class="optional"> {optional}</span> : null}
  </>
)

/** The help text and the error below a form control, which the control names in `aria-describedby`. */
export const FieldHelpAndError = ({ name, help, error }: Pick<FieldProps, 'name' | 'help' | 'error'>) => (
  <>
    {help ? (
      <span class="help" id={`${name}-help`}>
        {help}
      </span>
    ) : null}
    <ErrorText name={name} error={error} />
  </>
)

/** A form control with its label, help text and error. */
export const LabelledField = ({ field, children }: { field: FieldProps; children: Child }) => (
  <div class="field">
    <label for={field.name}>
      <LabelText {...field} />
    </label>
    {children}
    <FieldHelpAndError {...field} />
  </div>
)

interface InputProps extends FieldProps {
  type?: 'text' | 'email' | 'password' | 'number' | 'search' | 'url' | 'date' | 'tel'
  value?: string | number | undefined
  required?: boolean
  autocomplete?: string | undefined
  inputmode?: 'text' | 'numeric' | 'decimal' | 'email' | 'url' | 'tel' | undefined
  placeholder?: string | undefined
  maxlength?: number
  min?: number | string | undefined
  max?: number | string | undefined
  class?: string
  autofocus?: boolean
}

export const Input = ({
  type = 'text',
  value,
  required,
  autocomplete,
  inputmode,
  placeholder,
  maxlength,
  min,
  max,
  class: css,
  autofocus,
  ...field
}: InputProps) => (
  <LabelledField field={field}>
    <input
      id={field.name}
      name={field.name}
      type={type}
      value={value}
      required={required}
      autocomplete={autocomplete}
      inputmode={inputmode}
      placeholder={placeholder}
      maxlength={maxlength}
      min={min}
      max={max}
      class={css}
      autofocus={autofocus}
      aria-invalid={field.error ? 'true' : undefined}
      aria-describedby={buildAriaDescribedBy(field)}
    />
  </LabelledField>
)

interface TextAreaProps extends FieldProps {
  value?: string | undefined
  rows?: number
  placeholder?: string | undefined
  maxlength?: number
}

export const TextArea = ({ value, rows, placeholder, maxlength, ...field }: TextAreaProps) => (
  <LabelledField field={field}>
    <textarea
      id={field.name}
      name={field.name}
      rows={rows}
      placeholder={placeholder}
      maxlength={maxlength}
      aria-invalid={field.error ? 'true' : undefined}
      aria-describedby={buildAriaDescribedBy(field)}
    >
      {value}
    </textarea>
  </LabelledField>
)

export interface SelectOption {
  value: string
  label: string
}

interface SelectProps extends FieldProps {
  options: readonly SelectOption[]
  /** Additional options of the select list, grouped under headings. */
  groups?: readonly { label: string; options: readonly SelectOption[] }[]
  value?: string | undefined
  autocomplete?: string | undefined
}

/**
 * The options of a select, without closing tags, which HTML allows: with all countries, currencies and time zones the tags would be a sixth
 * of the page.
 */
const SelectOptions = ({ options, value: chosen }: { options: readonly SelectOption[]; value: string | undefined }) => (
  <>
    {options.map(({ value, label }) => {
      const [given, marked] = [value === label ? '' : html` value="${value}"`, value === chosen ? html` selected` : '']
      return html`<option${given}${marked}>${label}`
    })}
  </>
)

export const Select = ({ options, groups = [], value, autocomplete, ...field }: SelectProps) => (
  <LabelledField field={field}>
    <select
      id={field.name}
      name={field.name}
      autocomplete={autocomplete}
      aria-invalid={field.error ? 'true' : undefined}
      aria-describedby={buildAriaDescribedBy(field)}
    >
      <SelectOptions options={options} value={value} />
      {groups.map((group) => (
        <optgroup label={group.label}>
          <SelectOptions options={group.options} value={value} />
        </optgroup>
      ))}
    </select>
  </LabelledField>
)

export const Checkbox = ({
  name,
  label,
  help,
  checked,
  value = 'on',
  id = name,
}: {
  name: string
  label: string
  help?: Child
  checked?: boolean
  value?: string
  id?: string
}) => (
  <div class="choice">
    <input id={id} name={name} type="checkbox" value={value} checked={checked} aria-describedby={help ? `${id}-help` : undefined} />
    <div>
      <label for={id}>{label}</label>
      {help ? (
        <div class="help" id={`${id}-help`}>
          {help}
        </div>
      ) : null}
    </div>
  </div>
)

export interface FormProps {
  action: string
  csrf: string
  children: Child
  class?: string
  id?: string
  /** Whether the form uploads files. */
  files?: boolean
}

/** A form that posts, with the CSRF token. */
export const Form = ({ action, csrf, children, class: css, id, files = false }: FormProps) => (
  <form method="post" action={action} class={css} id={id} enctype={files ? 'multipart/form-data' : undefined} novalidate>
    <input type="hidden" name="_csrf" value={csrf} />
    {children}
  </form>
)

type ButtonTone = 'primary' | 'danger' | 'quiet'

interface ButtonProps {
  tone?: ButtonTone | 'danger primary' | undefined
  name?: string
  value?: string
  small?: boolean
  wide?: boolean | undefined
  children: Child
}

export const Button = ({ tone, name, value, small, wide, children }: ButtonProps) => (
  <button type="submit" name={name} value={value} class={['button', tone, small && 'small', wide && 'wide'].filter(Boolean).join(' ')}>
    {children}
  </button>
)

export const LinkButton = ({
  href,
  tone,
  small,
  children,
}: {
  href: string
  tone?: ButtonTone | undefined
  small?: boolean
  children: Child
}) => (
  <a href={href} class={['button', tone, small && 'small'].filter(Boolean).join(' ')}>
    {children}
  </a>
)

export const FormActions = ({ children }: { children: Child }) => <div class="actions">{children}</div>
