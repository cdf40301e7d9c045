import { Hono } from 'hono'
import { centeredFormPage } from '../components/form-page.tsx'
import { htmlDocument } from '../components/layout.tsx'
import { centeredCardPage } from '../components/page.tsx'
import { Notice } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, readOwnForm, sendPage, type WebServices, type WebContext, type WebEnv } from '../web.ts'
import { cleanPagePath, feedbackForm, saveFeedback } from './form.tsx'

const PATH = '/docs/feedback'

/** The page for feedback on the documentation. It is separate, because documentation pages are identical for every visitor and cached. */
export function docsFeedbackPages(web: WebServices) {
  const page = (c: WebContext, values: FormValues, formErrors: FormErrors | null = null) => {
    const about = cleanPagePath(values['page']) || '/docs'
    const head = { title: 'Feedback', foot: <a href={about}>Back to the documentation</a> }
    const form = { action: PATH, csrf: getCsrfToken(web, c), wide: false, ...feedbackForm({ page: about, values, formErrors }) }
    const shown = c.req.query('done')
      ? centeredCardPage(head, <Notice tone="success">Thank you. We have received your feedback.</Notice>)
      : centeredFormPage({ ...head, ...form })
    return sendPage(c, htmlDocument(shown.title, shown.content), formErrors?.message ? 429 : shown.status)
  }
  return new Hono<WebEnv>()
    .get(PATH, (c) => page(c, { page: c.req.query('page') ?? '' }))
    .post(PATH, async (c) => {
      const form = await readOwnForm(web, c)
      if (!form) return c.redirect(PATH, 303)
      const formErrors = await saveFeedback(web, c, form, { source: 'docs' })
      return formErrors
        ? page(c, form, formErrors)
        : c.redirect(`${PATH}?done=thanks&page=${encodeURIComponent(cleanPagePath(form['page']))}`, 303)
    })
}
