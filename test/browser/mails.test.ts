import { describe, expect, it } from 'vitest'
import { appSignedOut } from '../../src/domains/oauth/mails.ts'
import { addedToClient, invitation, passwordReset, signInLocked } from '../../src/domains/sign-in/mails.ts'
import { wordsIn } from '../../src/kernel/language/words.ts'
import { keepScreenshot, sharedBrowser, scrollsSideways, seriousFindings } from '../support/browser.ts'

const baseUrl = 'https://events.acme.example'
const link = `${baseUrl}/console/password?token=lpw_${'x'.repeat(43)}`
const invited = { link, inviter: 'Olga Organizer', place: 'Acme Events' }

const mailsIn = (language: string) => {
  const setting = { words: wordsIn(language), baseUrl }
  return {
    reset: passwordReset.render({ link }, setting),
    invitation: invitation.render(invited, setting),
    added: addedToClient.render(invited, setting),
    locked: signInLocked.render({}, setting),
    signedOut: appSignedOut.render({ app: 'Claude' }, setting),
  }
}

describe.each([
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 640, scheme: 'light' },
  { width: 640, scheme: 'dark' },
] as const)('at $width px, $scheme', ({ width, scheme }) => {
  it('every mail of ours fits, can be read by everybody, and asks nobody else', async () => {
    const context = await (await sharedBrowser()).newContext({ viewport: { width, height: 700 }, colorScheme: scheme })
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    for (const language of ['en', 'de']) {
      for (const [name, { html }] of Object.entries(mailsIn(language))) {
        await page.setContent(html!)
        await keepScreenshot(page, `mail-${name}-${language}-${width}-${scheme}`)
        expect([name, await scrollsSideways(page)]).toEqual([name, false])
        expect([name, await seriousFindings(page)]).toEqual([name, []])
      }
    }
    expect(asked).toEqual([])
    await context.close()
  })
})
