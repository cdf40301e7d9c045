import { renderChangePreviewPage } from '../components/preview-then-confirm.tsx'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { sendConsolePage } from './frame.tsx'
import { type NavigationPosition } from './navigation.ts'

/** The question before a destructive change. */
export interface ConfirmQuestion {
  /** The question, such as "Revoke this token?". */
  title: string
  /** The consequences of the change. */
  text: string
  /** The verb on the button. */
  button: string
}

const CONFIRM_FIELD = 'sure'

/** A name and value for the submit button that confirms the change. */
export const CONFIRM_PAGE_BUTTON = { name: CONFIRM_FIELD, value: 'yes' }

/** Whether the user has confirmed: the confirmation page submits the original form again with one more field. */
export const isConfirmed = (form: FormValues): boolean => form[CONFIRM_FIELD] === CONFIRM_PAGE_BUTTON.value

/** A confirmation page before a destructive change. It works without scripts. */
export function sendConfirmPage(
  web: WebServices,
  c: WebContext,
  form: FormValues,
  question: ConfirmQuestion & NavigationPosition & { back: string },
) {
  const { title, text, button, back, ...place } = question
  const { _csrf, ...hidden } = form
  const page = renderChangePreviewPage({
    title,
    action: c.req.path,
    csrf: getCsrfToken(web, c),
    hidden,
    effects: text,
    submit: button,
    submitAs: CONFIRM_PAGE_BUTTON,
    back: { href: back, label: 'Cancel' },
  })
  return sendConsolePage(web, c, place, page)
}
