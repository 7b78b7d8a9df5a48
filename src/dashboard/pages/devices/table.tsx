// The table of devices: filters, selection and rows.
import { Button, Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { Device } from '../../../devices/schema.ts';
import { RegisterDialog } from '../../components/apple-register.tsx';
import { type AppleState, appleStateOf, appleStates, takesPlace } from '../../components/apple-state.tsx';
import { usePendingRegistrations } from '../../components/stores.ts';
import { TableHead } from '../../components/table-head.tsx';
import { useTexts } from '../../texts/locale.ts';
import { type Account, useAccount } from './account.ts';
import { useOwners } from './owners.ts';
import { Row } from './row.tsx';

export interface Filters {
  search: string;
  /** The state with Apple; undefined for all. */
  state: AppleState | undefined;
}

interface TableProps {
  rows: readonly Device[];
  isManager: boolean;
  filters: Filters;
  onFilter(filters: Filters): void;
  /** Whether the rows are all in which the filters are applied. */
  isComplete: boolean;
  /** Whether others are being loaded. */
  isSearching: boolean;
}

export function DeviceTable({ rows, isManager, filters, onFilter, isComplete, isSearching }: TableProps) {
  const texts = useTexts();
  const t = texts.devices;
  const owners = useOwners();
  const { account, setChosen } = useAccount(isManager);
  const { search, state } = filters;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isRegistering, setRegistering] = useState(false);
  const accountId = account?.connection.identifier;
  usePendingRegistrations(account?.connection);
  const term = search.trim().toLowerCase();
  const found = rows.filter(
    (device) =>
      (state === undefined || accountId === undefined || appleStateOf(device, accountId) === state) &&
      [device.name, device.model, device.product, device.udid, owners.nameOf(device.developer_id)].some((text) =>
        text?.toLowerCase().includes(term),
      ),
  );
  const selectable = accountId === undefined ? [] : found.filter((device) => takesPlace(device, accountId));
  const chosen = selectable.filter(({ identifier }) => selected.has(identifier));
  const select = (ids: readonly string[], isSelected: boolean) =>
    setSelected((before) => {
      const next = new Set(before);
      for (const id of ids) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
  return (
    <section className="tw-section" aria-label={t.title}>
      <div className="tw-toolbar">
        <TextInput
          className="tw-toolbar-search"
          aria-label={t.search}
          placeholder={t.search}
          type="search"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={search}
          onChange={(event) => onFilter({ ...filters, search: event.currentTarget.value })}
        />
        {account !== undefined && (
          <AppleFilters
            account={account}
            state={state}
            onState={(chosen) => onFilter({ ...filters, state: chosen })}
            onAccount={setChosen}
          />
        )}
      </div>
      {account !== undefined && account.connection.pending_registrations > 0 && (
        <Text size="sm" role="status">
          {texts.stores.automatic.pending(account.connection.pending_registrations)}
        </Text>
      )}
      {account !== undefined && selectable.length > 0 && (
        <div className="tw-selection">
          <Checkbox
            label={chosen.length === 0 ? texts.stores.devices.selectAll : texts.stores.devices.selected(chosen.length)}
            checked={chosen.length === selectable.length}
            indeterminate={chosen.length > 0 && chosen.length < selectable.length}
            onChange={(event) =>
              select(
                selectable.map(({ identifier }) => identifier),
                event.currentTarget.checked,
              )
            }
          />
          {chosen.length > 0 && (
            <Button size="xs" onClick={() => setRegistering(true)}>
              {texts.stores.devices.register}
            </Button>
          )}
        </div>
      )}
      {isSearching && (
        <Text size="sm" role="status">
          {t.searching}
        </Text>
      )}
      {found.length === 0 ? (
        isComplete && (
          <Text size="sm" role="status">
            {t.noMatches}
          </Text>
        )
      ) : (
        <table className="tw-records" aria-label={t.title}>
          <TableHead
            titles={[
              t.name,
              t.owner,
              t.udidShort,
              t.registered,
              ...(account === undefined ? [] : [texts.stores.devices.column]),
            ]}
            hasActions
          />
          <tbody>
            {found.map((device) => (
              <Row
                key={device.identifier}
                device={device}
                owners={owners}
                isManager={isManager}
                account={account}
                isSelected={selected.has(device.identifier)}
                onSelect={(isSelected) => select([device.identifier], isSelected)}
              />
            ))}
          </tbody>
        </table>
      )}
      {account !== undefined && (
        <RegisterDialog
          devices={chosen}
          connections={account.connections}
          connectionId={account.connection.identifier}
          isOpen={isRegistering}
          onClose={() => setRegistering(false)}
          onDone={() => setSelected(new Set())}
        />
      )}
    </section>
  );
}

interface FiltersProps {
  account: Account;
  state: AppleState | undefined;
  onState(state: AppleState | undefined): void;
  onAccount(id: string): void;
}

function AppleFilters({ account: { connection, connections }, state, onState, onAccount }: FiltersProps) {
  const t = useTexts().stores.devices;
  return (
    <>
      <NativeSelect
        aria-label={t.filter}
        value={state ?? ''}
        data={[{ value: '', label: t.all }, ...appleStates.map((value) => ({ value, label: t.states[value] }))]}
        onChange={({ currentTarget: { value } }) => onState(appleStates.find((one) => one === value))}
      />
      {connections.length > 1 && (
        <NativeSelect
          aria-label={t.connection}
          value={connection.identifier}
          data={connections.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          onChange={(event) => onAccount(event.currentTarget.value)}
        />
      )}
    </>
  );
}
