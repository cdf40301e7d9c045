import type { Catalogue } from '../words.ts'

export const de: Catalogue = {
  yes: 'Ja',
  no: 'Nein',

  'page.skip': 'Zum Inhalt springen',
  'page.toStart': 'Zur Startseite',
  'page.documentation': 'Dokumentation',
  'page.console': 'Konsole',
  'missing.title': 'Nicht gefunden',
  'missing.heading': 'Diese Seite gibt es nicht',
  'missing.text': 'Vielleicht ist die Adresse vertippt, oder was hier war, gibt es nicht mehr oder ist nicht für Sie bestimmt.',
  'expired.title': 'Abgelaufen',
  'expired.heading': 'Dieser Link ist abgelaufen',
  'expired.text': 'Gehen Sie dorthin zurück, wo Sie ihn gefunden haben, und öffnen Sie ihn von dort: Die Seite hat einen neuen.',
  'failed.title': 'Etwas ist schiefgegangen',
  'failed.text':
    'Es lag nicht an Ihnen, und die Betreiber dieses Dienstes wissen davon. Wenn Sie ihnen schreiben, nennen Sie bitte diese Nummer: {reference}.',

  'mail.unsubscribe': 'Abmelden',
  'mail.preferences': 'Auswählen, welche E-Mails Sie bekommen',
  'mail.sponsored': 'Anzeige',
  'mail.offer': 'Angebot ansehen',
  'mail.code': 'Ihr Code',
  'mail.when': 'Wann',
  'mail.where': 'Wo',
  'mail.website': 'Website',
  'mail.calendar': 'In den Kalender eintragen',
  'mail.map': 'Auf der Karte zeigen',
  'mail.tax': '{name} {percent} %',
  'mail.total': 'Summe',
  'mail.paid': 'Bezahlt',
  'mail.balance': 'Noch zu zahlen',
  'mail.buttonFallback': 'Falls die Schaltfläche nichts bewirkt, kopieren Sie diese Adresse in Ihren Browser:',
  'mail.sentBy': 'Gesendet von Lanyard auf {host}.',

  'mail.reset.subject': 'Neues Passwort für Lanyard festlegen',
  'mail.reset.preheader': 'Der Link gilt 30 Minuten.',
  'mail.reset.heading': 'Neues Passwort festlegen',
  'mail.reset.text': 'Jemand möchte für Ihre Anmeldung bei Lanyard ein neues Passwort festlegen. Der Link gilt einmal und 30 Minuten lang.',
  'mail.reset.button': 'Neues Passwort festlegen',
  'mail.reset.ignore': 'Wenn Sie das nicht waren, ist nichts zu tun: Ihr Passwort bleibt, wie es ist.',

  'mail.invitation.subject': '{inviter} lädt Sie zu {place} auf Lanyard ein',
  'mail.invitation.preheader': 'Wählen Sie innerhalb von 72 Stunden ein Passwort.',
  'mail.invitation.heading': 'Willkommen bei {place}',
  'mail.invitation.text':
    '{inviter} hat Sie auf Lanyard zu {place} hinzugefügt. Wählen Sie innerhalb von 72 Stunden ein Passwort, dann geht es los.',
  'mail.invitation.button': 'Passwort wählen',
  'mail.invitation.ignore':
    'Wenn Sie {inviter} nicht kennen, ist nichts zu tun. Ohne diesen Link kann sich niemand an Ihrer Stelle anmelden.',

  'mail.added.subject': '{inviter} hat Sie auf Lanyard zu {place} hinzugefügt',
  'mail.added.preheader': 'Melden Sie sich mit Ihrem bisherigen Passwort an.',
  'mail.added.heading': 'Sie gehören jetzt zu {place}',
  'mail.added.text': '{inviter} hat Sie auf Lanyard zu {place} hinzugefügt. Melden Sie sich mit Ihrem bisherigen Passwort an.',
  'mail.added.button': 'Konsole öffnen',
  'mail.added.apps': 'Verbundene Assistenten bitten Sie um eine neue Anmeldung, weil sich Ihre Rechte geändert haben.',

  'mail.locked.subject': 'Viele fehlgeschlagene Anmeldungen bei Ihrem Lanyard-Konto',
  'mail.locked.preheader': 'Die Anmeldung ist bis zu 15 Minuten gesperrt.',
  'mail.locked.heading': 'Viele fehlgeschlagene Anmeldungen',
  'mail.locked.text':
    'Jemand hat zehnmal versucht, sich mit einem falschen Passwort oder Code als Sie anzumelden. Die Anmeldung ist bis zu 15 Minuten gesperrt.',
  'mail.locked.advice':
    'Wenn Sie das nicht waren: Ihr Passwort ist weiterhin sicher. Schalten Sie am besten unter „Account security“ den zweiten Faktor ein.',

  'mail.signedOut.subject': 'Wir haben {app} von Ihrem Lanyard-Konto abgemeldet',
  'mail.signedOut.preheader': 'Ein alter Anmeldeschlüssel wurde ein zweites Mal benutzt.',
  'mail.signedOut.heading': 'Eine App wurde abgemeldet',
  'mail.signedOut.text':
    'Ein alter Anmeldeschlüssel der App „{app}“ wurde ein zweites Mal benutzt. Das kommt vor, wenn ihn jemand kopiert hat; deshalb hat die App ihren Zugang sofort verloren.',
  'mail.signedOut.advice':
    'Wenn Sie die App noch nutzen, verbinden Sie sie neu. Wenn Sie sie nicht kennen oder es wieder vorkommt, ändern Sie Ihr Passwort und sehen Sie sich Ihre verbundenen Apps an.',
  'mail.signedOut.button': 'Verbundene Apps ansehen',
}
