import type { Child } from 'hono/jsx'
import type { FormErrors } from '../fields.ts'
import type { FormValues } from '../form-values.ts'
import { FormActions, Button, ErrorSummary, findFieldError, Form, type FormProps, LinkButton } from './forms.tsx'
import {
  renderContentPage,
  type CenteredCardHeaderProps,
  renderCenteredCardPage,
  type RenderedPage,
  type PageHeaderProps,
} from './page.tsx'
import { Card } from './parts.tsx'

export interface SubmitFormProps extends Omit<FormProps, 'children'> {
  /** Values that are submitted with the form but not shown. A list of pairs can contain several values with the same name. */
  hidden?: Readonly<Record<string, string | number | undefined>> | readonly (readonly [name: string, value: string])[]
  /** Label of the submit button. */
  submit: Child
  tone?: 'primary' | 'danger' | 'danger primary' | 'plain'
  /** A name and value for the submit button. */
  submitAs?: { name: string; value: string }
  /** Whether the submit button is as wide as the form. */
  wide?: boolean
  /** Path that the cancel button leads to. */
  cancel?: string
  cancelLabel?: string
  /** Content after the submit button, such as texts and further buttons. */
  more?: Child
  children?: Child
}

/** A form with its hidden values, fields and buttons. */
export const SubmitForm = (props: SubmitFormProps) => {
  const { hidden = {}, submit, tone = 'primary', submitAs, wide, cancel, cancelLabel = 'Cancel', more, children, ...form } = props
  return (
    <Form class="stack" {...form}>
      {(Array.isArray(hidden) ? hidden : Object.entries(hidden)).map(([name, value]) =>
        value === undefined ? null : <input type="hidden" name={name} value={String(value)} />,
      )}
      {children}
      <FormActions>
        <Button tone={tone === 'plain' ? undefined : tone} wide={wide} {...submitAs}>
          {submit}
        </Button>
        {cancel ? <LinkButton href={cancel}>{cancelLabel}</LinkButton> : null}
        {more}
      </FormActions>
    </Form>
  )
}

export const FormCard = ({ title, id, ...form }: SubmitFormProps & { title?: string | undefined; id?: string | undefined }) => (
  <Card title={title} id={id}>
    <SubmitForm {...form} />
  </Card>
)

interface ActionCardProps extends Pick<SubmitFormProps, 'action' | 'csrf' | 'submit' | 'submitAs'> {
  title: string
  tone?: 'primary' | 'danger'
  badge?: Child
  /** The description of the button's effect. */
  text: Child
  /** Whether the user may use the action; otherwise the button is hidden. */
  allowed?: boolean
}

/** A card with one button beside the description of its effect. */
export const ActionCard = ({ title, badge, text, allowed = true, action, csrf, submit, tone = 'primary', submitAs }: ActionCardProps) => (
  <Card title={title} actions={badge}>
    <div class="row-between">
      <p class="prose">{text}</p>
      {allowed ? (
        <Form action={action} csrf={csrf}>
          <Button tone={tone} {...submitAs}>
            {submit}
          </Button>
        </Form>
      ) : null}
    </div>
  </Card>
)

/** A page with a heading, the error summary and one form. */
export const renderFormPage = (page: PageHeaderProps & SubmitFormProps): RenderedPage =>
  renderContentPage(page, <FormCard {...page} title={undefined} />)

/** A page with one form in a centred card, such as sign-in. */
export const renderCenteredFormPage = (page: CenteredCardHeaderProps & SubmitFormProps): RenderedPage =>
  renderCenteredCardPage(
    page,
    <SubmitForm wide {...page}>
      <ErrorSummary {...page.formErrors} />
      {page.children}
    </SubmitForm>,
  )

/** Returns the name, value and error of a field, for the form's components. */
export const createFieldPropsGetter = (form: FormValues, formErrors: FormErrors | null | undefined) => (name: string) => ({
  name,
  value: form[name],
  error: findFieldError(formErrors?.errors, name),
})
