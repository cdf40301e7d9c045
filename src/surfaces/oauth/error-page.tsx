import { document, FocusPage } from '../web/components/layout.tsx'
import { Card, Facts } from '../web/components/parts.tsx'
import { show, type WebContext } from '../web/web.ts'
import type { OAuthError } from './oauth-error.ts'

/** For what must not be told to the app, because nobody knows yet that it is one: the person stays here. */
export const errorPage = (c: WebContext, error: OAuthError) =>
  show(
    c,
    document(
      'This app cannot connect',
      <FocusPage foot={<a href="/console">To the console</a>}>
        <Card>
          <div class="stack">
            <h1>This app cannot connect</h1>
            <p>
              Something is wrong with how it asked, so you were not sent back to it. Remove the connection in the app and add it again; if
              that does not help, tell its makers this:
            </p>
            <Facts
              rows={[
                ['Error', <code>{error.code}</code>],
                ['What is wrong', error.message],
              ]}
            />
          </div>
        </Card>
      </FocusPage>,
    ),
    error.status === 429 ? 429 : 400,
  )
