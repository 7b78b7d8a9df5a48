// The filters of the list of builds: the status, a search, the order, and a form for the rest.
import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconFilter, IconSearch, IconX } from '@tabler/icons-react';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useMemberNamesById } from '../../components/member-names.ts';
import { isOpeningPage } from '../../shell/opening-page.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { type BuildFilters, type BuildStatusFilter, buildStatuses, readFilter, type TextFilter } from './filters.ts';

/** How long the search waits for the next letter. */
const PAUSE_MS = 300;
const fieldNames = ['branch', 'commit', 'pr', 'label', 'bundle'] as const;

type Change = (filters: BuildFilters) => void;

export function FilterBar({ filters }: { filters: BuildFilters }) {
  const t = useTexts().builds.filters;
  const { identifier: projectId } = useProject();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const change: Change = (search) =>
    void navigate({
      to: '/projects/$projectId/builds',
      params: { projectId },
      search,
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <div className="tw-toolbar tw-build-toolbar">
        <StatusChips filters={filters} />
        <SearchField filters={filters} onChange={change} />
        <Button variant="default" leftSection={<IconFilter size={16} stroke={1.75} />} onClick={() => setOpen(true)}>
          {t.open}
        </Button>
        <NativeSelect
          aria-label={t.order}
          value={filters.sort ?? 'uploaded_at'}
          data={(['uploaded_at', 'version'] as const).map((value) => ({ value, label: t.orders[value] }))}
          onChange={({ currentTarget: { value } }) => {
            const { sort: _, ...others } = filters;
            change(value === 'version' ? { ...others, sort: 'version' } : others);
          }}
        />
      </div>
      <ActiveFilters filters={filters} onChange={change} />
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.title} centered>
        {isOpen && (
          <FilterForm
            filters={filters}
            onApply={(changed) => {
              setOpen(false);
              change(changed);
            }}
          />
        )}
      </Modal>
    </>
  );
}

/** The filter by status. Its choice is part of the address. */
function StatusChips({ filters }: { filters: BuildFilters }) {
  const t = useTexts().builds;
  const { identifier } = useProject();
  const { status: current = 'active', ...others } = filters;
  const searchOf = (status: BuildStatusFilter): BuildFilters => (status === 'active' ? others : { ...others, status });
  return (
    <nav aria-label={t.status}>
      <ul className="tw-filter-chips">
        {buildStatuses.map((status) => (
          <li key={status}>
            <Link
              to="/projects/$projectId/builds"
              params={{ projectId: identifier }}
              search={searchOf(status)}
              replace
              resetScroll={false}
              activeOptions={{ exact: true }}
              aria-current={status === current ? 'true' : undefined}
            >
              {t.statuses[status]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The search field. The address follows it when typing pauses. */
function SearchField({ filters, onChange }: { filters: BuildFilters; onChange: Change }) {
  const t = useTexts().builds.filters;
  const { text: current = '', ...others } = filters;
  const [text, setText] = useState(current);
  const router = useRouter();
  const latest = useRef({ current, others, onChange });
  latest.current = { current, others, onChange };
  // The address changes without this field too, by its history and by the button that removes the filter.
  useEffect(() => setText(current), [current]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (isOpeningPage(router)) return;
      const wanted = readFilter('text', text);
      const { current: before, others: rest, onChange: send } = latest.current;
      if ((wanted ?? '') !== before) send(wanted === undefined ? rest : { ...rest, text: wanted });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, router]);
  return (
    <TextInput
      type="search"
      className="tw-toolbar-search"
      aria-label={t.search}
      placeholder={t.search}
      maxLength={100}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

/** The filters of the form, each with a button that removes it. */
function ActiveFilters({ filters, onChange }: { filters: BuildFilters; onChange: Change }) {
  const t = useTexts().builds.filters;
  const { organization_id: organizationId } = useProject();
  const { data: names } = useMemberNamesById(organizationId);
  const { status, sort, text, installable, ...texts } = filters;
  const shown = Object.entries(texts).map(([name, value]) => ({
    name: name as TextFilter | 'installable',
    value: name === 'uploader' ? (names?.get(value) ?? value.slice(-8)) : value,
  }));
  if (installable !== undefined) shown.push({ name: 'installable', value: t.installables[installable] });
  if (shown.length === 0) return null;
  const kept: BuildFilters = {
    ...(status === undefined ? {} : { status }),
    ...(sort === undefined ? {} : { sort }),
  };
  function without(name: TextFilter | 'installable'): BuildFilters {
    const { [name]: _, ...others } = filters;
    return others;
  }
  return (
    <ul className="tw-active-filters" aria-label={t.title}>
      {shown.map(({ name, value }) => (
        <li key={name}>
          <button type="button" onClick={() => onChange(without(name))} title={t.remove(t.fields[name])}>
            <span>{t.fields[name]}</span>
            <bdi className="tw-ellipsis">{value}</bdi>
            <IconX size={12} stroke={2} aria-hidden />
            <span className="tw-offscreen">{t.remove(t.fields[name])}</span>
          </button>
        </li>
      ))}
      {shown.length > 1 && (
        <li>
          <button type="button" className="tw-text-link" onClick={() => onChange(kept)}>
            {t.clear}
          </button>
        </li>
      )}
    </ul>
  );
}

/** The form of the filters. They're applied together, and fields with a value that the server would reject say so. */
function FilterForm({ filters, onApply }: { filters: BuildFilters; onApply: Change }) {
  const t = useTexts().builds.filters;
  const { organization_id: organizationId } = useProject();
  const { data: names } = useMemberNamesById(organizationId);
  const [values, setValues] = useState<Record<string, string>>({ ...filters });
  const [wrong, setWrong] = useState<ReadonlySet<string>>(new Set());
  const set = (name: string, value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    setWrong((before) => new Set([...before].filter((other) => other !== name)));
  };
  function apply(event: FormEvent): void {
    event.preventDefault();
    const { status, sort, text } = filters;
    const changed: BuildFilters = {
      ...(status === undefined ? {} : { status }),
      ...(sort === undefined ? {} : { sort }),
      ...(text === undefined ? {} : { text }),
    };
    const rejected = new Set<string>();
    for (const name of [...fieldNames, 'uploader', 'from', 'until'] as const) {
      const value = (values[name] ?? '').trim();
      const read = readFilter(name, value);
      if (read !== undefined) changed[name] = read;
      else if (value !== '') rejected.add(name);
    }
    const { installable } = values;
    if (installable === 'yes' || installable === 'no') changed.installable = installable;
    setWrong(rejected);
    if (rejected.size === 0) onApply(changed);
  }
  const field = (name: Exclude<TextFilter, 'text' | 'uploader'>, type = 'text') => (
    <TextInput
      key={name}
      type={type}
      label={t.fields[name]}
      value={values[name] ?? ''}
      error={wrong.has(name) ? (t.wrong[name] ?? t.wrongOther) : undefined}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set(name, event.currentTarget.value)}
    />
  );
  return (
    <Stack component="form" gap="sm" onSubmit={apply}>
      {fieldNames.map((name) => field(name))}
      <NativeSelect
        label={t.fields.uploader}
        value={values.uploader ?? ''}
        data={[
          { value: '', label: t.anyone },
          ...[...(names ?? [])]
            .map(([value, label]) => ({ value, label }))
            .sort((one, other) => one.label.localeCompare(other.label)),
        ]}
        onChange={(event) => set('uploader', event.currentTarget.value)}
      />
      <NativeSelect
        label={t.fields.installable}
        value={values.installable ?? ''}
        data={[
          { value: '', label: t.any },
          ...(['yes', 'no'] as const).map((value) => ({ value, label: t.installables[value] })),
        ]}
        onChange={(event) => set('installable', event.currentTarget.value)}
      />
      <Group grow align="flex-start">
        {field('from', 'date')}
        {field('until', 'date')}
      </Group>
      <Group justify="flex-end">
        <Button
          variant="default"
          onClick={() => {
            setValues({});
            setWrong(new Set());
          }}
        >
          {t.clear}
        </Button>
        <Button type="submit">{t.apply}</Button>
      </Group>
    </Stack>
  );
}
