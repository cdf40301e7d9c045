import { Hono } from 'hono'
import { renderCenteredFormPage } from '../components/form-page.tsx'
import { renderHtmlDocument } from '../components/layout.tsx'
import { renderCenteredCardPage } from '../components/page.tsx'
import { Notice } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, readSameOriginForm, sendPage, type WebServices, type WebContext, type WebEnv } from '../web.ts'
import { sanitizePagePath, buildFeedbackFormProps, saveFeedback } from './form.tsx'

const PATH = '/docs/feedback'

/** The page for feedback on the documentation. It is separate, because documentation pages are identical for every visitor and cached. */
export function docsFeedbackPages(web: WebServices) {
  const page = (c: WebContext, values: FormValues, formErrors: FormErrors | null = null) => {
    const about = sanitizePagePath(values['page']) || '/docs'
    const head = { title: 'Feedback', foot: <a href={about}>Back to the documentation</a> }
    const form = { action: PATH, csrf: getCsrfToken(web, c), wide: false, ...buildFeedbackFormProps({ page: about, values, formErrors }) }
    const shown = c.req.query('done')
      ? renderCenteredCardPage(head, <Notice tone="success">Thank you. We have received your feedback.</Notice>)
      : renderCenteredFormPage({ ...head, ...form })
    return sendPage(c, renderHtmlDocument(shown.title, shown.content), formErrors?.message ? 429 : shown.status)
  }
  return new Hono<WebEnv>()
    .get(PATH, (c) => page(c, { page: c.req.query('page') ?? '' }))
    .post(PATH, async (c) => {
      const form = await readSameOriginForm(web, c)
      if (!form) return c.redirect(PATH, 303)
      const formErrors = await saveFeedback(web, c, form, { source: 'docs' })
      return formErrors
        ? page(c, form, formErrors)
        : c.redirect(`${PATH}?done=thanks&page=${encodeURIComponent(sanitizePagePath(form['page']))}`, 303)
    })
}
