import { CenteredCardLayout, renderHtmlDocument } from '../web/components/layout.tsx'
import { Card, DescriptionList } from '../web/components/parts.tsx'
import { sendPage, type WebContext } from '../web/web.ts'
import type { OAuthError } from './oauth-error.ts'

/** Shows an error that occurs before the app is verified: the user stays on our page, because the redirect URI cannot be trusted. */
export const sendOauthErrorPage = (c: WebContext, error: OAuthError) =>
  sendPage(
    c,
    renderHtmlDocument(
      'This app cannot connect',
      <CenteredCardLayout foot={<a href="/console">Go to the console</a>}>
        <Card>
          <div class="stack">
            <h1>This app cannot connect</h1>
            <p>
              The app sent an invalid request, so you were not sent back to it. Remove the connection in the app and add it again. If that
              does not help, send these details to the makers of the app:
            </p>
            <DescriptionList
              rows={[
                ['Error', <code>{error.code}</code>],
                ['Details', error.message],
              ]}
            />
          </div>
        </Card>
      </CenteredCardLayout>,
    ),
    error.status === 429 ? 429 : 400,
  )
