import type { Child } from 'hono/jsx'
import type { FormErrors } from '../fields.ts'
import { ErrorSummary } from './forms.tsx'
import { CenteredCardLayout, Heading, type HeadingProps } from './layout.tsx'
import { Card } from './parts.tsx'

/** The content of a page, ready to be placed in a layout. */
export interface RenderedPage {
  title: string
  status: 200 | 400
  content: Child
}

export interface PageHeaderProps extends Omit<HeadingProps, 'children'> {
  /** The title of the document. */
  title: string
  /** The visible heading, if it differs from the title. */
  heading?: string
  /** Content that replaces the standard heading. */
  head?: Child
  /** Links and buttons beside the heading. */
  actions?: Child
  /** The errors of a rejected form. The page then has status 400. */
  formErrors?: FormErrors | null | undefined
}

const statusFor = (formErrors: FormErrors | null | undefined) => (formErrors ? 400 : 200)

/** A page with a heading and, after a rejected form, the error summary. */
export const renderContentPage = (
  { title, heading = title, head, text, badge, crumbs, actions, formErrors }: PageHeaderProps,
  content: Child,
): RenderedPage => ({
  title,
  status: statusFor(formErrors),
  content: (
    <>
      {head ?? (
        <Heading title={heading} text={text} badge={badge} crumbs={crumbs}>
          {actions}
        </Heading>
      )}
      <ErrorSummary {...formErrors} />
      {content}
    </>
  ),
})

export interface CenteredCardHeaderProps extends Pick<PageHeaderProps, 'title' | 'heading' | 'text' | 'formErrors'> {
  foot?: Child
}

/** A page with one centred card. */
export const renderCenteredCardPage = (
  { title, heading = title, text, foot, formErrors }: CenteredCardHeaderProps,
  content: Child,
): RenderedPage => ({
  title,
  status: statusFor(formErrors),
  content: (
    <CenteredCardLayout foot={foot}>
      <Card>
        <h1>{heading}</h1>
        {text ? <p class="muted">{text}</p> : null}
        {content}
      </Card>
    </CenteredCardLayout>
  ),
})
