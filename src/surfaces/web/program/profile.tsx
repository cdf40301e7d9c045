import { createFile } from '../../../domains/files/files.ts'
import { FILE_PURPOSES } from '../../../domains/files/purposes.ts'
import type { SessionQueryContext } from '../../../domains/sessions/context.ts'
import { getSpeaker, type SpeakerRow, updateSpeaker } from '../../../domains/sessions/speakers.ts'
import { findSubmitter } from '../../../domains/submissions/emails.ts'
import { AppError } from '../../../kernel/errors.ts'
import { ErrorText, type FieldErrors, findFieldError, Form, TextArea } from '../components/forms.tsx'
import { Card, StatusLabel } from '../components/parts.tsx'
import { toSignedInVisitorActor } from '../event/person.ts'
import { runChangeFromEventPage, createPublicEventContext, type EventSite } from '../event/event-site.ts'
import { commitThenDeleteUnusedUploads, readFormWithFiles } from '../uploads.ts'
import type { WebContext, WebServices } from '../web.ts'

/** The submitter's profile as a speaker; null if the submission has no speaker. */
export async function findSpeakerProfile(ctx: SessionQueryContext, submissionId: string): Promise<SpeakerRow | null> {
  const submitter = await findSubmitter(ctx, submissionId)
  return submitter && getSpeaker(ctx, submitter.id)
}

interface ProfileProps {
  site: EventSite
  token: string
  csrf: string
  profile: SpeakerRow
  errors: FieldErrors
}

/** The form for the speaker's profile in the program: biography, photo and web addresses. */
export const ProfileForm = ({ site, token, csrf, profile, errors }: ProfileProps) => {
  const { say } = site.words
  const photo = findFieldError(errors, 'photo')
  return (
    <Card
      title={say('speaker.profile')}
      actions={profile.headshot_file_id === null ? <StatusLabel tone="warning">{say('speaker.photoMissing')}</StatusLabel> : null}
    >
      <Form action={`${site.paths.speaker(token)}/profile`} csrf={csrf} class="stack" files>
        <div class="field">
          <label for="photo">{say('speaker.photo')}</label>
          <input
            id="photo"
            name="photo"
            type="file"
            accept={FILE_PURPOSES.headshot.accept.join(',')}
            aria-invalid={photo ? 'true' : undefined}
            aria-describedby={photo ? 'photo-help photo-error' : 'photo-help'}
          />
          <span class="help" id="photo-help">
            {say('speaker.photoHelp')}
          </span>
          <ErrorText name="photo" error={photo} />
        </div>
        <TextArea name="bio" label={say('speaker.bio')} rows={5} value={profile.bio ?? ''} error={findFieldError(errors, 'bio')} />
        <TextArea
          name="links"
          label={say('speaker.links')}
          rows={2}
          value={profile.links.join('\n')}
          error={findFieldError(errors, 'links')}
        />
        <TextArea
          name="disclosure"
          label={say('speaker.disclosure')}
          rows={2}
          value={profile.disclosure ?? ''}
          error={findFieldError(errors, 'disclosure')}
        />
        <p>
          <button type="submit" class="button primary">
            {say('speaker.saveProfile')}
          </button>
        </p>
      </Form>
    </Card>
  )
}

const MAX_TEXT = 5000
const MAX_LINKS = 10

const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Saves the profile form. Returns the errors of its fields; null for a form that another site sent. */
export async function saveSpeakerProfile(
  web: WebServices,
  c: WebContext,
  site: EventSite,
  submissionId: string,
): Promise<FieldErrors | null> {
  const sent = await readFormWithFiles(web, c, { photo: { tenantId: site.tenantId, purpose: 'headshot' } })
  if (!sent) return null
  const { form, files, refused } = sent
  const { say } = site.words
  const [bio, disclosure] = [(form['bio'] ?? '').trim(), (form['disclosure'] ?? '').trim()]
  const links = (form['links'] ?? '').split(/\s+/).filter((link) => link !== '')
  const check = (path: string, label: string) => ({ path, message: say('papers.check', { field: label }) })
  const errors = [
    ...refused.map(() => check('photo', say('speaker.photo'))),
    ...(bio.length > MAX_TEXT ? [check('bio', say('speaker.bio'))] : []),
    ...(disclosure.length > MAX_TEXT ? [check('disclosure', say('speaker.disclosure'))] : []),
    ...(links.length > MAX_LINKS || !links.every(isWebAddress) ? [check('links', say('speaker.links'))] : []),
  ]
  const submitter = await findSubmitter(createPublicEventContext(web, site), submissionId)
  if (errors.length > 0 || !submitter) return errors
  const upload = files[0]?.upload
  try {
    await commitThenDeleteUnusedUploads(web, site, files, async () => {
      await runChangeFromEventPage(
        web,
        site,
        { action: 'update_speaker_profile', actor: toSignedInVisitorActor(site, submitter.email) },
        async (ctx) => {
          const owner = { kind: 'speaker', id: submitter.id } as const
          const file = upload ? await createFile(ctx, upload, { clientId: site.client.id, eventId: site.event.id, owner }) : null
          await updateSpeaker(ctx, submitter.id, {
            bio: bio || null,
            disclosure: disclosure || null,
            links,
            ...(file ? { headshotFileId: file.id } : {}),
          })
        },
      )
      return { deletedFiles: [] }
    })
    return []
  } catch (error) {
    if (!(error instanceof AppError) || !error.details.fields) throw error
    return error.details.fields.map(({ path }) => check(path, path))
  }
}
