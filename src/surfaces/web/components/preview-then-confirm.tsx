import type { Child } from 'hono/jsx'
import { FormCard, type SubmitFormProps } from './form-page.tsx'
import { renderContentPage, type RenderedPage, type PageHeaderProps } from './page.tsx'

export interface ConfirmFormProps extends Omit<SubmitFormProps, 'cancel' | 'cancelLabel' | 'children'> {
  /** The effects of the change, from its dry run. */
  effects: Child
  /** The words before the effects, such as "If you cancel:". */
  condition?: string
  /** Further form fields whose values the change needs. */
  fields?: Child
  /** The link that cancels the change. */
  back?: { href: string; label: string }
  title?: string | undefined
}

/** The form that confirms a change, with its effects directly above the button. */
export const ConfirmForm = ({ effects, condition, fields, back, ...form }: ConfirmFormProps) => (
  <FormCard tone="danger primary" {...(back ? { cancel: back.href, cancelLabel: back.label } : {})} {...form}>
    {fields}
    {condition ? (
      <p class="outcome">
        <strong>{condition}</strong> {effects}
      </p>
    ) : (
      <p>{effects}</p>
    )}
  </FormCard>
)

/** A page that shows the effects of a change and asks for confirmation. `before` is shown above the form. */
export const renderChangePreviewPage = (page: PageHeaderProps & Omit<ConfirmFormProps, 'title'> & { before?: Child }): RenderedPage =>
  renderContentPage(
    page,
    <>
      {page.before}
      <ConfirmForm {...page} title={undefined} />
    </>,
  )
