import type { Catalogue } from '../translator.ts'

export const program: Catalogue = {
  'mail.speakerInvited.subject': '{inviter} lädt Sie zu einem Vortrag bei {event} ein',
  'mail.speakerInvited.text': 'Sie sind eingeladen, bei {event} zu sprechen. Bitte nehmen Sie die Einladung an oder lehnen Sie sie ab.',
  'mail.speakerInvited.button': 'Einladung beantworten',
  'mail.submissionReceived.subject': 'Ihr Vorschlag ist eingegangen: {title}',
  'mail.submissionReceived.text': 'Vielen Dank für Ihren Vorschlag {number} für {event}. Wir teilen Ihnen die Entscheidung per E-Mail mit.',
  'mail.submissionReceived.button': 'Meinen Vorschlag ansehen',
  'mail.submissionDecided.subject': 'Entscheidung über Ihren Vorschlag: {title}',
  'mail.submissionDecided.accepted':
    'Ihr Vorschlag „{title}“ wurde für {event} angenommen. Bitte bestätigen Sie bis {deadline}, dass Sie sprechen. Danach geht der Platz an jemand anderen.',
  'mail.submissionDecided.backup':
    'Ihr Vorschlag „{title}“ steht auf der Reserveliste von {event}. Wir schreiben Ihnen, wenn ein Platz frei wird.',
  'mail.submissionDecided.rejected':
    'Wir konnten Ihren Vorschlag „{title}“ nicht in das Programm von {event} aufnehmen. Vielen Dank für Ihre Mühe.',
  'mail.submissionDecided.confirm': 'Bestätigen oder absagen',
  'mail.sessionCancelled.subject': 'Abgesagt: {session} bei {event}',
  'mail.sessionCancelled.text': 'Der Programmpunkt „{session}“ am {moment} wurde abgesagt.',
}
