"""Creates an event with one product and an API token in pretix, and prints the ids as JSON. Run with `pretix shell -c`."""
import datetime
import json
from decimal import Decimal

from django.utils.timezone import now
from django_scopes import scopes_disabled
from pretix.base.models import Event, Item, Organizer, Quota, Team, TeamAPIToken

with scopes_disabled():
    organizer = Organizer.objects.create(slug='bench', name='Bench')
    event = Event.objects.create(
        organizer=organizer, slug='conf', name='Conference', currency='EUR', live=True, is_public=True,
        plugins='pretix.plugins.banktransfer', date_from=now() + datetime.timedelta(days=200),
    )
    event.set_defaults()
    item = Item.objects.create(event=event, name='Pass', default_price=Decimal('750.00'), active=True)
    Quota.objects.create(event=event, name='Pass', size=None).items.add(item)
    team = Team(organizer=organizer, name='bench')
    for field in Team._meta.fields:
        if field.name.startswith(('can_', 'all_')):
            setattr(team, field.name, True)
    team.save()
    token = TeamAPIToken.objects.create(team=team, name='bench')
    print(json.dumps({'item': item.pk, 'token': token.token}))
