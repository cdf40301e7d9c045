import { createFile, deleteFile, getFile } from '../../../domains/files/files.ts'
import { createFileLinkBuilder } from '../../../domains/files/links.ts'
import { type ClientSettings, updateClientSettings } from '../../../domains/tenancy/clients.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { FormActions, Button, Form } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { readFormWithFiles } from '../uploads.ts'
import type { WebServices, WebContext } from '../web.ts'
import type { ClientPageContext } from './client-page.ts'
import { runClientChange, createInvalidFormError } from './frame.tsx'

const PICTURES = ['image/png', 'image/jpeg', 'image/webp']
const MAX_BYTES = 2 * 1024 * 1024
/** Lifetime of the signed link to the logo, in seconds. */
const SHOWN_SECONDS = 3600

/** Returns a link to the logo; null if the client has no logo. */
export async function createLogoLink(at: ClientPageContext, { brand }: ClientSettings): Promise<string | null> {
  if (!brand.logoFileId) return null
  const file = await getFile(at.reading, { fileId: brand.logoFileId, clientId: at.client.id })
  return (await createFileLinkBuilder(at.reading, SHOWN_SECONDS))(file)
}

export const LogoCard = ({
  at,
  csrf,
  link,
  error,
}: {
  at: ClientPageContext
  csrf: string
  link: string | null
  error?: string | undefined
}) => (
  <Card id="logo" title="Logo">
    <div class="stack">
      {link ? (
        <img class="logo-shown" src={link} alt={`Logo of ${at.client.name}`} />
      ) : (
        <p class="muted">No logo yet. It appears on event pages and in emails.</p>
      )}
      <Form action={`${at.base}/settings/logo`} csrf={csrf} class="stack" files>
        <div class="field">
          <label for="logo">{link ? 'New logo' : 'Logo file'}</label>
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
        <FormActions>
          <Button>Save logo</Button>
          {link ? (
            <Button tone="danger" name="remove" value="yes">
              Remove logo
            </Button>
          ) : null}
        </FormActions>
      </Form>
    </div>
  </Card>
)

/** Replaces or removes the logo and deletes the previous file. Returns the error about the uploaded file, if any. */
export async function changeLogo(web: WebServices, c: WebContext, at: ClientPageContext, before: ClientSettings): Promise<string | null> {
  const sent = await readFormWithFiles(web, c, {
    logo: { tenantId: at.session.tenantId, purpose: 'library', accept: PICTURES, maxBytes: MAX_BYTES },
  })
  if (!sent) throw createInvalidFormError(web, c)
  const [refused] = sent.refused
  if (refused) return refused.message
  const upload = sent.files[0]?.upload
  if (!upload && sent.form['remove'] !== 'yes') return 'Choose a file first.'
  await runClientChange(web, at.session, { client: at.client, action: 'update_client' }, async (ctx: ClientContext) => {
    const file = upload ? await createFile(ctx, upload, { clientId: at.client.id, owner: { kind: 'client', id: at.client.id } }) : null
    await updateClientSettings(ctx, { brand: { logoFileId: file?.id ?? null }, ifRevision: before.revision })
    if (before.brand.logoFileId) await deleteFile(ctx, { fileId: before.brand.logoFileId, clientId: at.client.id })
  })
  return null
}
