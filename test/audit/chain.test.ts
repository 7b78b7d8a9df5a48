// The hash chains of the audit trail: rows changed in the database are reported with their position.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { verifyAuditTrail } from '../../src/audit/verify.ts';
import { chainStart, hashRow } from '../../src/core/audit-chain.ts';
import { systemContext } from '../../src/core/transact.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
  for (let number = 1; number <= 20; number += 1) record(String(number));
});
afterEach(() => fixture.stop());

function record(identifier: string): void {
  const { organization_id: organizationId } = fixture;
  systemContext(fixture.app).transact((tx) => tx.record('channel.edited', { identifier, organizationId }));
}

const database = () => fixture.app.db.$client;
const verify = (...noted: Parameters<typeof verifyAuditTrail>[2] & object) =>
  verifyAuditTrail(database(), fixture.app.secrets.keyring, noted);
/** Where the row with a number stands, which the organization's own events stand before. */
const placeOf = (identifier: string): number =>
  Number(database().prepare('SELECT sequence FROM audit_events WHERE identifier = ?').pluck().get(identifier));
const found = () =>
  verify().problems.map(({ chain, sequence, problem }) => [
    chain === fixture.organization_id ? 'organization' : chain,
    sequence,
    problem,
  ]);

describe('an unchanged audit trail', () => {
  it('is valid, and verification returns the head of every chain', () => {
    const verdict = verify();
    expect(verdict.problems).toEqual([]);
    expect(verdict.rows).toBe(database().prepare('SELECT count(*) FROM audit_events').pluck().get());
    const heads = Object.fromEntries(verdict.heads.map(({ chain, sequence, hash }) => [chain, [sequence, hash]]));
    expect(Object.keys(heads).sort()).toEqual([fixture.organization_id, fixture.admin.developer_id].sort());
    const last = database().prepare('SELECT hash FROM audit_events WHERE identifier = ?').pluck().get('20');
    expect(heads[fixture.organization_id]).toEqual([placeOf('20'), last]);
  });

  it('numbers each chain from 1 without gaps', () => {
    for (const { chain, sequence } of verify().heads) {
      const places = database().prepare('SELECT sequence FROM audit_events WHERE chain = ? ORDER BY rowid').pluck();
      expect(places.all(chain)).toEqual(Array.from({ length: sequence }, (_, index) => index + 1));
    }
  });

  it('stays one chain if an operator command writes next to the server', async () => {
    const { app, close } = await openApp(fixture.app.config);
    const { organization_id: organizationId } = fixture;
    for (let number = 0; number < 50; number += 1) {
      record(`server ${number}`);
      systemContext(app).transact((tx) =>
        tx.record('channel.edited', { identifier: `command ${number}`, organizationId }),
      );
    }
    await close();
    expect(verify().problems).toEqual([]);
    expect(placeOf('command 49') - placeOf('server 0')).toBe(99);
  });
});

describe('the hash of a row', () => {
  const row = {
    id: 'i',
    organizationId: 'o',
    developerId: null,
    timestamp: 1,
    event: 'created',
    type: 'build',
    identifier: 'x',
    actorKind: 'system',
    actorId: null,
    actorName: null,
    ipAddress: null,
    details: '{}',
  };
  const hash = (changes: Partial<Record<keyof typeof row, string | number | null>> = {}, sequence = 1) =>
    hashRow(chainStart('o').hash, 'o', sequence, { ...row, ...changes } as typeof row);

  it('never changes its form, because that would break all existing chains', () => {
    expect(chainStart('o')).toEqual({
      sequence: 0,
      hash: '735889b0e9c69e01d1db00b2138b5c3c9ff59c49ffaec1f295e5bf38fd63fcf0',
    });
    expect(hash()).toBe('37cfca1e8c61ba87ac6e12dbd6ad95619506aa49cd56155395faa16d6d8bc865');
  });

  it.each(Object.keys(row) as (keyof typeof row)[])('includes %s', (field) => {
    expect(hash({ [field]: field === 'timestamp' ? 2 : 'other' })).not.toBe(hash());
  });

  it('includes the position and separates the fields', () => {
    expect(hash({}, 2)).not.toBe(hash());
    expect(hash({ event: 'createdb', type: 'uild' })).not.toBe(hash());
    expect(hash({ actorId: '', actorName: null })).not.toBe(hash({ actorId: null, actorName: '' }));
    expect(hash({ actorId: '-;' })).not.toBe(hash());
  });
});

describe('a changed audit trail', () => {
  it.each([
    ["event = 'deleted'"],
    ['details = \'{"x":1}\''],
    ['timestamp = timestamp - 1'],
    ["actor_name = 'Another'"],
    ["ip_address = '192.0.2.1'"],
    ['organization_id = NULL'],
    ["identifier = '7 '"],
  ])('with an altered row (%s) is reported', (change) => {
    const place = placeOf('7');
    database().exec(`UPDATE audit_events SET ${change} WHERE identifier = '7'`);
    expect(found()).toEqual([['organization', place, 'altered']]);
    expect(verify().problems[0]).toMatchObject({ id: expect.any(String), timestamp: expect.any(String) });
  });

  it.each([9e15, -9e15, 2 ** 53])('with an impossible time (%d) is reported', (timestamp) => {
    const places = [placeOf('7'), placeOf('9')];
    database().prepare("UPDATE audit_events SET timestamp = ? WHERE identifier = '7'").run(timestamp);
    database().exec("UPDATE audit_events SET event = 'deleted' WHERE identifier = '9'");
    expect(found()).toEqual(places.map((place) => ['organization', place, 'altered']));
    expect(verify().problems[0]).toMatchObject({ id: expect.any(String), timestamp: null });
  });

  it('with a row and its hash altered is reported at the next row', () => {
    const place = placeOf('7');
    database().exec(
      "UPDATE audit_events SET event = 'deleted', hash = lower(hex(randomblob(32))) WHERE identifier = '7'",
    );
    expect(found()).toEqual([
      ['organization', place, 'altered'],
      ['organization', place + 1, 'altered'],
    ]);
  });

  it('with a deleted row has a gap', () => {
    const place = placeOf('7');
    database().exec("DELETE FROM audit_events WHERE identifier IN ('7', '8', '9', '15')");
    expect(found()).toEqual([
      ['organization', place, 'removed'],
      ['organization', place + 8, 'removed'],
    ]);
    expect(verify().problems.map(({ text }) => text)).toEqual([
      `rows ${place} to ${place + 2} are missing`,
      'the row is missing',
    ]);
  });

  it('with a deleted row is reported also if later rows moved up', () => {
    const place = placeOf('7');
    database().exec("DELETE FROM audit_events WHERE identifier = '7'");
    for (let next = place + 1; next <= place + 13; next += 1) {
      database()
        .prepare('UPDATE audit_events SET sequence = ? WHERE chain = ? AND sequence = ?')
        .run(next - 1, fixture.organization_id, next);
    }
    expect(found()[0]).toEqual(['organization', place, 'altered']);
  });

  it('with an inserted row is reported', () => {
    const columns = database().prepare("SELECT * FROM audit_events WHERE identifier = '20'").get() as object;
    const insert = (changes: object) => {
      const row = { ...columns, ...changes };
      const names = Object.keys(row);
      database()
        .prepare(`INSERT INTO audit_events (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`)
        .run(row);
    };
    insert({ id: 'forged', sequence: placeOf('20') + 1 });
    insert({ id: 'first', sequence: 0 });
    expect(found()).toEqual([
      ['organization', 0, 'inserted'],
      ['organization', placeOf('20') + 1, 'altered'],
    ]);
  });

  it('with two exchanged rows is reported at both', () => {
    const [first, second] = [placeOf('7'), placeOf('11')];
    const move = database().prepare('UPDATE audit_events SET sequence = ? WHERE identifier = ?');
    move.run(-1, '7');
    move.run(first, '11');
    move.run(second, '7');
    expect(found()).toEqual([
      ['organization', first, 'altered'],
      ['organization', first + 1, 'altered'],
      ['organization', second, 'altered'],
      ['organization', second + 1, 'altered'],
    ]);
  });
});

describe('a truncated chain', () => {
  it('that is completely missing is reported while its owner exists', () => {
    database().prepare('DELETE FROM audit_events WHERE chain = ?').run(fixture.admin.developer_id);
    expect(found()).toEqual([[fixture.admin.developer_id, 1, 'removed']]);
  });

  it('without its beginning is reported', () => {
    database().prepare('DELETE FROM audit_events WHERE chain = ? AND sequence < 4').run(fixture.organization_id);
    expect(found()).toEqual([['organization', 1, 'removed']]);
  });

  it('without its beginning is reported also with a forged checkpoint', () => {
    const place = placeOf('3');
    const hash = database().prepare("SELECT hash FROM audit_events WHERE identifier = '3'").pluck().get();
    database()
      .prepare('DELETE FROM audit_events WHERE chain = ? AND sequence <= ?')
      .run(fixture.organization_id, place);
    database()
      .prepare("INSERT INTO audit_checkpoints VALUES (?, ?, ?, 1, 'abcdef01.AAAA')")
      .run(fixture.organization_id, place, hash);
    expect(found()).toEqual([['organization', place, 'removed']]);
  });

  it('without its end is reported with an earlier head', () => {
    const { heads } = verify();
    record('after the heads were noted');
    expect(verify(...heads).problems).toEqual([]);
    database().prepare("DELETE FROM audit_events WHERE identifier IN ('19', '20', 'after the heads were noted')").run();
    expect(verify().problems).toEqual([]);
    const place = placeOf('18') + 2;
    expect(verify(...heads).problems).toMatchObject([{ sequence: place, problem: 'removed' }]);
    // The program continues from what it finds; the head tells all the same.
    record('instead');
    record('instead of that');
    expect(verify().problems).toEqual([]);
    expect(verify(...heads).problems).toMatchObject([{ sequence: place, problem: 'altered', id: expect.any(String) }]);
  });
});

describe('deleting the owner of a chain', () => {
  it('keeps the whole trail of an organization for the operator', async () => {
    const { app } = fixture;
    const send = async (method: string, path: string, body?: unknown) =>
      fetch(new URL(path, fixture.url), {
        method,
        headers: { authorization: `Bearer ${fixture.admin.access_token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const id = await (await send('POST', '/api/v1/organizations', { name: 'Short-lived' })).text();
    expect((await send('DELETE', `/api/v1/organizations/${id}`)).status).toBe(204);
    const events = app.db.$client.prepare('SELECT event FROM audit_events WHERE chain = ? ORDER BY sequence').pluck();
    expect(events.all(id)).toEqual(['created', 'created', 'deleted']);
    expect(verify().problems).toEqual([]);
  });

  it('deletes the trail of a person, and earlier heads do not report it as missing', async () => {
    const { developer_id: id } = fixture.admin;
    const heads = verify().heads.filter(({ chain }) => chain === id);
    database().exec('UPDATE developers SET locked_at = 1, deletion_due_at = 1');
    expect(await fixture.sweep('account-deletions')).toBe(1);
    expect(verify(...heads).problems).toEqual([]);
    database().exec("DELETE FROM audit_events WHERE chain = 'service'");
    expect(verify(...heads).problems).toMatchObject([{ chain: id, problem: 'removed' }]);
  });
});
