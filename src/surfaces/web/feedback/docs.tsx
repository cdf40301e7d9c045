import { Hono } from 'hono'
import { document, FocusPage } from '../components/layout.tsx'
import { Card, Notice } from '../components/parts.tsx'
import type { Refused } from '../fields.ts'
import { csrfFor, type FormValues, readForm, show, type Web, type WebContext, type WebEnv } from '../web.ts'
import { FeedbackForm, ownPage, takeFeedback } from './form.tsx'

const PATH = '/docs/feedback'

/** Feedback on the documentation. It is a page of its own, because the pages it is about are the same for everybody and kept by caches. */
export function docsFeedbackPages(web: Web) {
  const page = (c: WebContext, values: FormValues, refused?: Refused) => {
    const about = ownPage(values['page']) || '/docs'
    return show(
      c,
      document(
        'Feedback',
        <FocusPage foot={<a href={about}>Back to the documentation</a>}>
          <Card>
            <h1>Feedback</h1>
            {c.req.query('done') ? (
              <Notice tone="success">Thank you. It was noted.</Notice>
            ) : (
              <FeedbackForm action={PATH} csrf={csrfFor(web, c)} page={about} values={values} {...(refused ? { refused } : {})} />
            )}
          </Card>
        </FocusPage>,
      ),
      refused ? (refused.message ? 429 : 400) : 200,
    )
  }
  return new Hono<WebEnv>()
    .get(PATH, (c) => page(c, { page: c.req.query('page') ?? '' }))
    .post(PATH, async (c) => {
      const form = await readForm(web, c)
      if (!form) return c.redirect(PATH, 303)
      const refused = await takeFeedback(web, c, form, { source: 'docs' })
      return refused ? page(c, form, refused) : c.redirect(`${PATH}?done=thanks&page=${encodeURIComponent(ownPage(form['page']))}`, 303)
    })
}
