import { Hono } from 'hono'
import { htmlDocument, FocusPage } from '../components/layout.tsx'
import { Card, Notice } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import { csrfFor, type FormValues, readOwnForm, sendPage, type Web, type WebContext, type WebEnv } from '../web.ts'
import { FeedbackForm, cleanPagePath, saveFeedback } from './form.tsx'

const PATH = '/docs/feedback'

/** Feedback on the documentation. A separate page, because documentation pages are identical for every visitor and cached. */
export function docsFeedbackPages(web: Web) {
  const page = (c: WebContext, values: FormValues, formErrors?: FormErrors) => {
    const about = cleanPagePath(values['page']) || '/docs'
    return sendPage(
      c,
      htmlDocument(
        'Feedback',
        <FocusPage foot={<a href={about}>Back to the documentation</a>}>
          <Card>
            <h1>Feedback</h1>
            {c.req.query('done') ? (
              <Notice tone="success">Thank you. We have received your feedback.</Notice>
            ) : (
              <FeedbackForm action={PATH} csrf={csrfFor(web, c)} page={about} values={values} {...(formErrors ? { formErrors } : {})} />
            )}
          </Card>
        </FocusPage>,
      ),
      formErrors ? (formErrors.message ? 429 : 400) : 200,
    )
  }
  return new Hono<WebEnv>()
    .get(PATH, (c) => page(c, { page: c.req.query('page') ?? '' }))
    .post(PATH, async (c) => {
      const form = await readOwnForm(web, c)
      if (!form) return c.redirect(PATH, 303)
      const formErrors = await saveFeedback(web, c, form, { source: 'docs' })
      return formErrors ? page(c, form, formErrors) : c.redirect(`${PATH}?done=thanks&page=${encodeURIComponent(cleanPagePath(form['page']))}`, 303)
    })
}
