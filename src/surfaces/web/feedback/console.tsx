import { renderFormPage } from '../components/form-page.tsx'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../console/frame.tsx'
import type { FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { sanitizePagePath, buildFeedbackFormProps, saveFeedback } from './form.tsx'

/** `/console/feedback`: feedback from the organizer to the operator of this installation. */
export function consoleFeedbackPages(web: WebServices) {
  const page = (c: WebContext, values: FormValues, formErrors: FormErrors | null = null) => {
    const shown = renderFormPage({
      ...buildFeedbackFormProps({ page: values['page'] ?? '', values, formErrors }),
      title: 'Feedback',
      text: 'Report a problem or suggest an improvement.',
      action: '/console/feedback',
      csrf: getCsrfToken(web, c),
    })
    return sendConsolePage(web, c, { current: '/console/feedback' }, formErrors?.message ? { ...shown, status: 429 } : shown)
  }
  return createConsoleRouter(web)
    .get('/console/feedback', (c) => {
      const referrer = c.req.header('referer')
      const from = referrer && URL.canParse(referrer) ? sanitizePagePath(new URL(referrer).pathname) : ''
      return page(c, { page: from, email: c.get('session').email })
    })
    .post('/console/feedback', async (c) => {
      const form = await requireConsoleForm(web, c)
      const formErrors = await saveFeedback(web, c, form, { source: 'console', tenantCode: c.get('session').tenantCode })
      return formErrors ? page(c, form, formErrors) : c.redirect('/console/feedback?done=thanks', 303)
    })
}
