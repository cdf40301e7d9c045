import { LinkButton } from './components/forms.tsx'
import { document, FocusPage } from './components/layout.tsx'
import { Card } from './components/parts.tsx'
import { show, type WebContext } from './web.ts'

/** Whether a person looks at the answer; programs are answered in JSON. */
export const forPeople = (c: WebContext) => /\btext\/html\b/.test(c.req.header('accept') ?? '')

/** The same for what never was and for what somebody else owns. */
export const showMissing = (c: WebContext) =>
  show(
    c,
    document(
      'Not found',
      <FocusPage
        foot={
          <>
            <a href="/docs">Documentation</a> · <a href="/console">Console</a>
          </>
        }
      >
        <Card>
          <h1>There is no such page</h1>
          <p class="muted">The address may be mistyped, or what was here is gone or not yours to see.</p>
          <div class="actions">
            <LinkButton href="/" tone="primary">
              To the start
            </LinkButton>
          </div>
        </Card>
      </FocusPage>,
    ),
    404,
  )

export const showFailed = (c: WebContext, reference: string) =>
  show(
    c,
    document(
      'Something went wrong',
      <FocusPage foot={<a href="/">To the start</a>}>
        <Card>
          <h1>Something went wrong</h1>
          <p>It was not your fault, and the people who run this service know of it. If you write to them, give this number: {reference}.</p>
        </Card>
      </FocusPage>,
    ),
    500,
  )
