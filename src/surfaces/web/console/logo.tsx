import { createFile, deleteFile, getFile } from '../../../domains/files/files.ts'
import { fileLinks } from '../../../domains/files/links.ts'
import { type Settings, updateSettings } from '../../../domains/tenancy/clients.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { Actions, Button, Form } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { readFormWithFiles } from '../uploads.ts'
import type { Web, WebContext } from '../web.ts'
import type { AtClient } from './at-client.ts'
import { changeAt, notOurForm } from './frame.tsx'

const PICTURES = ['image/png', 'image/jpeg', 'image/webp']
const MAX_BYTES = 2 * 1024 * 1024
/** As long as the page is looked at. */
const SHOWN_SECONDS = 3600

/** Where the logo can be seen; null without one. */
export async function logoLink(at: AtClient, { brand }: Settings): Promise<string | null> {
  if (!brand.logoFileId) return null
  const file = await getFile(at.reading, { fileId: brand.logoFileId, clientId: at.client.id })
  return (await fileLinks(at.reading, SHOWN_SECONDS))(file)
}

export const LogoCard = ({ at, csrf, link, error }: { at: AtClient; csrf: string; link: string | null; error?: string | undefined }) => (
  <Card title="Logo">
    <div class="stack">
      {link ? (
        <img class="logo-shown" src={link} alt={`Logo of ${at.client.name}`} />
      ) : (
        <p class="muted">None yet. It stands on event pages and in mails.</p>
      )}
      <Form action={`${at.base}/settings/logo`} csrf={csrf} class="stack" files>
        <div class="field">
          <label for="logo">{link ? 'Another picture' : 'Picture'}</label>
          <input
            id="logo"
            name="logo"
            type="file"
            accept={PICTURES.join(',')}
            aria-describedby={error ? 'logo-help logo-error' : 'logo-help'}
          />
          <span class="help" id="logo-help">
            PNG, JPEG or WebP, at most 2 MB
          </span>
          {error ? (
            <span class="error" id="logo-error">
              {error}
            </span>
          ) : null}
        </div>
        <Actions>
          <Button>Save the logo</Button>
          {link ? (
            <Button tone="danger" name="remove" value="yes">
              Remove the logo
            </Button>
          ) : null}
        </Actions>
      </Form>
    </div>
  </Card>
)

/** Takes the picture of the form for the logo, or the logo away; the one before is deleted with it. Says what is wrong with the picture. */
export async function changeLogo(web: Web, c: WebContext, at: AtClient, before: Settings): Promise<string | null> {
  const sent = await readFormWithFiles(web, c, {
    logo: { tenantId: at.session.tenantId, purpose: 'library', accept: PICTURES, maxBytes: MAX_BYTES },
  })
  if (!sent) throw notOurForm(web, c)
  const [refused] = sent.refused
  if (refused) return refused.message
  const upload = sent.files[0]?.upload
  if (!upload && sent.form['remove'] !== 'yes') return 'Choose a picture first.'
  await changeAt(web, at.session, { client: at.client, action: 'update_client' }, async (ctx: ClientContext) => {
    const file = upload ? await createFile(ctx, upload, { clientId: at.client.id, owner: { kind: 'client', id: at.client.id } }) : null
    await updateSettings(ctx, { brand: { logoFileId: file?.id ?? null }, ifRevision: before.revision })
    if (before.brand.logoFileId) await deleteFile(ctx, { fileId: before.brand.logoFileId, clientId: at.client.id })
  })
  return null
}
