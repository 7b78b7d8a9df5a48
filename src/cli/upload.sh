#!/bin/sh
# Uploads an .ipa or .apk to Taxiway, and optionally releases it. From the server {{url}} with version {{version}}:
#
#   curl -fsSO {{url}}/cli/upload.sh && sh upload.sh app.apk --channel beta
#
# Needs curl, awk and one of sha256sum, shasum and openssl. The access token is read from TAXIWAY_TOKEN and passed to curl
# through a pipe, so that other users of the machine can't see it. Exit codes: 0 success, 1 failure, 2 incorrect usage.

usage() {
  cat <<'USAGE'
usage: upload.sh FILE [options]

Uploads an .ipa or .apk. The server reads version, build number and identifier from the package.

  --channel ID|NAME        channel to release the build to
  --notes TEXT             release notes, in Markdown
  --notes-file FILE        file with the release notes
  --label TEXT             label of the build; can be repeated
  --mandatory              make the release mandatory
  --yes                    release a build that nobody can install
  --allow-other-identifier release an app whose identifier isn't the project's
  --project ID|NAME        project of the build (default: TAXIWAY_PROJECT); a project access token knows its own
  --version-name TEXT      version, instead of the package's own
  --build-number NUMBER    build number, instead of the package's own
  --next-build-number      use the next free build number
  --commit HASH            commit of the build, instead of the one of the CI system or git; likewise --branch NAME,
                           --tag NAME, --pull-request NUMBER, --repository URL, --run-url URL and --author NAME
  --no-source              don't ask the CI system and git where the build comes from
  --outputs FILE           append the results to a file as lines such as build_id=…
  --qr-image FILE          save the QR code of the install page as PNG

TAXIWAY_TOKEN is an access token. TAXIWAY_URL is another server than the one of this file.
USAGE
}

say() { printf '%s\n' "$*" >&2; }
fail() { say "upload.sh: $*"; exit 1; }
misused() { say "upload.sh: $*"; say '(see "upload.sh --help")'; exit 2; }

# Reads JSON and writes a line for each value: its path, a tab and the value, such as ".items[0].name<tab>beta".
# Control characters become "?", null is left out.
flatten() {
  LC_ALL=C awk '
    function broken() { failed = 1; exit 1 }
    # The character at an index. Some awks read all of a text for each part of it, so parts are taken from a short one.
    function at(where) {
      if (where < from || where >= from + 512) { from = where; part = substr(s, from, 512) }
      return substr(part, where - from + 1, 1)
    }
    function skip() { while (at(i) ~ /[ \t\r]/) i++ }
    function text(   c, out, rest) {
      if (at(i) != "\"") broken()
      out = ""
      for (i++; i <= size; i++) {
        c = at(i)
        rest = substr(part, i - from + 1)
        if (match(rest, /^[^"\\[:cntrl:]]+/)) {
          out = out substr(rest, 1, RLENGTH)
          i += RLENGTH - 1
          continue
        }
        if (c == "\"") { i++; return out }
        if (c == "\\") {
          i++
          c = at(i)
          if (c == "u") { i += 4; c = "?" }
          else if (c !~ /["\\\/]/) c = "?"
        } else if (c ~ /[[:cntrl:]]/) c = "?"
        out = out c
      }
      broken()
    }
    function value(path, depth,   c, n, start, name, end) {
      if (depth > 40) broken()
      skip()
      c = at(i)
      if (c == "\"") { print path "\t" text(); return }
      if (c == "{" || c == "[") {
        i++
        skip()
        if (at(i) == (c == "{" ? "}" : "]")) { i++; return }
        for (n = 0; ; n++) {
          skip()
          if (c == "{") {
            name = "." text()
            skip()
            if (at(i) != ":") broken()
            i++
          } else name = "[" n "]"
          value(path name, depth + 1)
          skip()
          i++
          end = at(i - 1)
          if (end == ",") continue
          if (end == (c == "{" ? "}" : "]")) return
          broken()
        }
      }
      start = i
      while (at(i) ~ /[-+.0-9A-Za-z]/) i++
      if (i == start) broken()
      name = substr(s, start, i - start)
      if (name != "null") print path "\t" name
    }
    { s = s (NR > 1 ? " " : "") $0 }
    END { if (failed) exit 1; size = length(s); i = 1; from = -512; value("", 0); skip(); if (i <= size) exit 1 }
  '
}

# pick NAME=PATH...: sets variables to the values at paths of the last response; to nothing where there is none.
# Programs take most of the time of this script, so one reads all values.
pick() { pick_from facts "$@"; }

# pick_from FACTS NAME=PATH...: the same for other facts.
pick_from() {
  from=$1
  shift
  awk -F '\t' '
    BEGIN { for (k = 1; k < ARGC; k++) { wanted[k] = substr(ARGV[k], index(ARGV[k], "=") + 1); ARGV[k] = ""; isWanted[wanted[k]] = 1 } }
    ($1 in isWanted) && !($1 in values) { values[$1] = substr($0, length($1) + 2) }
    END { for (k = 1; k < ARGC; k++) print values[wanted[k]] }
  ' "$@" <"$dir/$from" >"$dir/values"
  for wanted in "$@"; do IFS= read -r "${wanted%%=*}" || :; done <"$dir/values"
}

# find_item FIELD VALUE: the first item of the last list whose field has the value, such as ".items[3]", in $item; nothing if there is none.
find_item() {
  WANTED_FIELD=$1 WANTED=$2 awk -F '\t' '
    match($1, /^\.items\[[0-9]+\]/) && substr($1, RLENGTH + 1) == "." ENVIRON["WANTED_FIELD"] &&
      substr($0, length($1) + 2) == ENVIRON["WANTED"] { print substr($1, 1, RLENGTH); exit }
  ' "$dir/facts" >"$dir/values"
  IFS= read -r item <"$dir/values" || item=
}

# quote TEXT: the text as a JSON string. Only tabs and ends of lines are kept of the control characters.
quote() {
  printf '%s\n' "$1" | LC_ALL=C awk '
    BEGIN { ORS = ""; print "\"" }
    NR > 1 { print "\\n" }
    {
      for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (c == "\"" || c == "\\") print "\\" c
        else if (c == "\t") print "\\t"
        else if (c !~ /[[:cntrl:]]/) print c
      }
    }
    END { print "\"" }
  '
}

# quote_line TEXT: the same for a text of one line, in $quoted.
quote_line() {
  case $1 in
    *[!-A-Za-z0-9._\ ]*)
      to_line "$1"
      quoted=$(quote "$line")
      ;;
    *) quoted="\"$1\"" ;;
  esac
}

newline='
'

# to_line TEXT: the text in one line, in $line.
to_line() {
  case $1 in
    *"$newline"*) line=$(printf '%s' "$1" | tr '\n' '?') ;;
    *) line=$1 ;;
  esac
}

# send KIND METHOD PATH [BODY]: a request to the API, up to five times. KIND is "once" for a request that must not be repeated after
# it may have arrived, else "again". The status is in $status, the response in $dir/facts.
send() {
  attempt=1
  while :; do
    advice=
    : >"$dir/answer" >"$dir/headers"
    printf '%s' "${4-}" >"$dir/body"
    if [ "$2" = POST ]; then
      request --data-binary "@$dir/body" -H 'content-type: application/json' --url "$server/api/v1$3"
    else
      request --url "$server/api/v1$3"
    fi >"$dir/status"
    code=$?
    read -r status <"$dir/status" || :
    case $code:$status in
      0:429 | 0:503) trouble="the server returned $status" ;;
      0:5??)
        [ "$1" = again ] || break
        trouble="the server returned $status"
        ;;
      0:*) break ;;
      3:*) misused 'TAXIWAY_URL must be the address of a server, such as https://builds.example.com' ;;
      5:* | 6:* | 7:*) trouble="cannot reach $server" ;;
      35:*) fail "$server doesn't respond with TLS; if it doesn't use https, set TAXIWAY_URL to http://${server#https://}" ;;
      51:* | 53:* | 58:* | 60:* | 77:* | 90:*)
        fail "$server has no certificate that curl trusts; set CURL_CA_BUNDLE to the certificate of its authority" ;;
      *)
        trouble="the connection to $server was lost"
        # Servers with https close the connection of a request without it.
        case $code:$server in 5[26]:http://*) advice="; if it uses https, set TAXIWAY_URL to https://${server#http://}" ;; esac
        [ "$1" = again ] || fail "$trouble$advice"
        ;;
    esac
    pause_before_next || { [ "$code" -eq 0 ] && break; fail "$trouble$advice"; }
  done
  flatten <"$dir/answer" >"$dir/facts" 2>/dev/null || {
    : >"$dir/facts"
    case $status in 2??) fail "$server$3 returned an unexpected response. Is it a Taxiway server?" ;; esac
  }
}

# The token is on the standard input of curl, never on its command line. curl follows no redirect, which could take it elsewhere.
request() {
  curl -sS --globoff --connect-timeout 30 --max-time 900 -A 'taxiway-upload.sh/{{version}}' -H 'accept: application/json' \
    -o "$dir/answer" -D "$dir/headers" -w '%{http_code}' --config - "$@" <<TOKEN
header = "Authorization: Bearer $token"
TOKEN
}

pause_before_next() {
  [ "$attempt" -lt 5 ] || return 1
  pause=$((1 << (attempt - 1)))
  attempt=$((attempt + 1))
  asked=$(read_retry_after)
  [ "$asked" -le "$pause" ] || pause=$asked
  say "$trouble; trying again in $pause s ($attempt of 5)"
  sleep "$pause"
}

# The seconds that the last response asks to wait, at most 300; 0 if it doesn't say, or names a date.
read_retry_after() {
  LC_ALL=C awk '
    BEGIN { seconds = 0 }
    tolower($1) == "retry-after:" { sub(/\r$/, ""); seconds = $2 ~ /^[0-9]+$/ ? ($2 > 300 ? 300 : $2 + 0) : 0 }
    END { print seconds }
  ' "$dir/headers"
}

# expect WHAT: ends with the message of the server unless the last request succeeded.
expect() {
  case $status in
    2??) return 0 ;;
    3??) fail "$1: the server redirects; set TAXIWAY_URL to its new address ($status)" ;;
  esac
  pick message=.message error=.error
  # A proxy in front of the server sends no JSON.
  [ -n "$message" ] || message='the server rejected the request'
  case $status:$error in
    401:*) fail "$1: $message; set TAXIWAY_TOKEN to a valid token (401)" ;;
    404: | 405:) fail "no Taxiway server responds at $server; check TAXIWAY_URL ($status)" ;;
    *) fail "$1: $message ($status${error:+ $error})" ;;
  esac
}

# add_stated FIELD VALUE: adds a line to the stated fields: "!" and the field, a tab and the value.
add_stated() {
  to_line "$2"
  stated=$(printf '%s\n!%s\t%s' "$stated" "$1" "$line")
}

# What the CI system says, otherwise git, as the same lines; empty values are left out later. TeamCity has these only in files.
read_ci() {
  if is_set "${GITHUB_ACTIONS-}"; then
    repository=${GITHUB_SERVER_URL:-https://github.com}/${GITHUB_REPOSITORY-}
    head='' number=''
    # GITHUB_SHA of a pull request is a merge that exists only in the run.
    if [ -f "${GITHUB_EVENT_PATH-}" ] && [ "$(wc -c <"$GITHUB_EVENT_PATH")" -lt 262144 ]; then
      flatten <"$GITHUB_EVENT_PATH" >"$dir/event" 2>/dev/null || : >"$dir/event"
      pick_from event head=.pull_request.head.sha number=.pull_request.number
    fi
    branch=${GITHUB_HEAD_REF-}
    [ -n "$branch" ] || [ "${GITHUB_REF_TYPE-}" != branch ] || branch=${GITHUB_REF_NAME-}
    tag=
    [ "${GITHUB_REF_TYPE-}" != tag ] || tag=${GITHUB_REF_NAME-}
    say_source "${head:-${GITHUB_SHA-}}" "$branch" "$tag" "$number" "$repository" "$repository/actions/runs/${GITHUB_RUN_ID-}" "${GITHUB_ACTOR-}"
  elif is_set "${CI_XCODE_CLOUD-}"; then
    say_source "${CI_PULL_REQUEST_SOURCE_COMMIT:-${CI_COMMIT-}}" "${CI_PULL_REQUEST_SOURCE_BRANCH:-${CI_BRANCH-}}" "${CI_TAG-}" \
      "${CI_PULL_REQUEST_NUMBER-}" "${CI_PULL_REQUEST_HTML_URL%%/pull*}" "${CI_BUILD_URL-}" ''
  elif is_set "${GITLAB_CI-}"; then
    say_source "${CI_MERGE_REQUEST_SOURCE_BRANCH_SHA:-${CI_COMMIT_SHA-}}" "${CI_MERGE_REQUEST_SOURCE_BRANCH_NAME:-${CI_COMMIT_BRANCH-}}" \
      "${CI_COMMIT_TAG-}" "${CI_MERGE_REQUEST_IID-}" "${CI_PROJECT_URL-}" "${CI_PIPELINE_URL-}" "${CI_COMMIT_AUTHOR%% <*}"
  elif is_set "${BITRISE_IO-}"; then
    say_source "${BITRISE_GIT_COMMIT:-${GIT_CLONE_COMMIT_HASH-}}" "${BITRISE_GIT_BRANCH-}" "${BITRISE_GIT_TAG-}" "${BITRISE_PULL_REQUEST-}" \
      "${GIT_REPOSITORY_URL-}" "${BITRISE_BUILD_URL-}" "${GIT_CLONE_COMMIT_AUTHOR_NAME-}"
  elif is_set "${CIRCLECI-}"; then
    say_source "${CIRCLE_SHA1-}" "${CIRCLE_BRANCH-}" "${CIRCLE_TAG-}" "${CIRCLE_PULL_REQUEST##*/}" "${CIRCLE_REPOSITORY_URL-}" \
      "${CIRCLE_BUILD_URL-}" "${CIRCLE_USERNAME-}"
  elif is_set "${TF_BUILD-}"; then
    branch=${SYSTEM_PULLREQUEST_SOURCEBRANCH:-${BUILD_SOURCEBRANCH-}}
    case $branch in refs/heads/*) branch=${branch#refs/heads/} ;; refs/*) branch= ;; esac
    case ${BUILD_SOURCEBRANCH-} in refs/tags/*) tag=${BUILD_SOURCEBRANCH#refs/tags/} ;; *) tag= ;; esac
    say_source "${SYSTEM_PULLREQUEST_SOURCECOMMITID:-${BUILD_SOURCEVERSION-}}" "$branch" "$tag" \
      "${SYSTEM_PULLREQUEST_PULLREQUESTNUMBER:-${SYSTEM_PULLREQUEST_PULLREQUESTID-}}" "${BUILD_REPOSITORY_URI-}" '' "${BUILD_SOURCEVERSIONAUTHOR-}"
  elif is_set "${BUILDKITE-}"; then
    say_source "${BUILDKITE_COMMIT-}" "${BUILDKITE_BRANCH-}" "${BUILDKITE_TAG-}" "${BUILDKITE_PULL_REQUEST-}" "${BUILDKITE_REPO-}" \
      "${BUILDKITE_BUILD_URL-}" "${BUILDKITE_BUILD_AUTHOR:-${BUILDKITE_BUILD_CREATOR-}}"
  elif [ -z "${TEAMCITY_VERSION-}" ] && is_set "${JENKINS_URL-}"; then
    branch=${CHANGE_BRANCH-}
    [ -n "$branch${CHANGE_ID-}${TAG_NAME-}" ] || branch=${BRANCH_NAME:-${GIT_BRANCH#origin/}}
    say_source "${GIT_COMMIT-}" "$branch" "${TAG_NAME-}" "${CHANGE_ID-}" "${GIT_URL-}" "${BUILD_URL-}" "${GIT_AUTHOR_NAME-}"
  elif command -v git >/dev/null 2>&1; then
    commit=$(git rev-parse --verify --quiet HEAD 2>/dev/null)
    # 128 outside of a repository, 1 before its first commit.
    [ $? -lt 128 ] || return 0
    say_source "$commit" "$(git symbolic-ref --short --quiet HEAD 2>/dev/null)" \
      "$(git describe --tags --exact-match HEAD 2>/dev/null)" '' "$(git config --get remote.origin.url 2>/dev/null)" '' \
      "$(git -c log.showSignature=false log -1 --format=%aN 2>/dev/null)"
  fi
}

# Bitrise, GitHub and others say "false" on machines that are none of theirs.
is_set() { case $1 in '' | false | False | FALSE) return 1 ;; esac; }

say_source() {
  for field in commit branch tag pull_request repository_url run_url author; do
    to_line "$1"
    printf '%s\t%s\n' "$field" "$line"
    shift
  done
}

# Fields of the JSON object "source": the stated ones and those of read_ci that the server accepts, so that an odd branch name doesn't
# stop an upload. User names and passwords in addresses are left out.
describe_source() {
  {
    printf '%s\n' "$stated"
    [ "$source" = no ] || read_ci
  } | LC_ALL=C awk -F '\t' '
    BEGIN { for (k = 1; k < 256; k++) code[sprintf("%c", k)] = k }
    function web(value,   rest, scheme, at) {
      if (match(value, /^[^ \/:@]+@[^ \/:@]+\.[^ \/:@]+:/)) {
        value = substr(value, index(value, "@") + 1)
        sub(/:\/*/, "/", value)
        value = "https://" value
      }
      sub(/^(ssh|git|git\+ssh):\/\//, "https://", value)
      if (!match(value, /^https?:\/\//)) return ""
      scheme = substr(value, 1, RLENGTH)
      rest = substr(value, RLENGTH + 1)
      at = match(rest, /^[^\/?#]*@/)
      if (at) rest = substr(rest, RLENGTH + 1)
      return rest == "" ? "" : scheme rest
    }
    # Whether the bytes are UTF-8: the server rejects all of a body that is not.
    function isUtf8(value,   k, c, left, least, most) {
      left = 0
      for (k = 1; k <= length(value); k++) {
        c = code[substr(value, k, 1)]
        if (left) {
          if (c < least || c > most) return 0
          left--
          least = 128
          most = 191
        } else if (c >= 128) {
          if (c < 194 || c > 244) return 0
          left = c < 224 ? 1 : c < 240 ? 2 : 3
          least = c == 224 ? 160 : c == 240 ? 144 : 128
          most = c == 237 ? 159 : c == 244 ? 143 : 191
        }
      }
      return !left
    }
    function quoted(value,   out, k, c) {
      out = ""
      for (k = 1; k <= length(value); k++) {
        c = substr(value, k, 1)
        if (c == "\"" || c == "\\") out = out "\\"
        if (c !~ /[[:cntrl:]]/) out = out c
      }
      return "\"" out "\""
    }
    # Separators of lines and characters that change the direction of text, in UTF-8.
    BEGIN {
      oddCount = split("\342\200\250 \342\200\251 \330\234 \342\200\216 \342\200\217 \342\200\252 \342\200\253 \342\200\254 \342\200\255 \342\200\256 " \
        "\342\201\246 \342\201\247 \342\201\250 \342\201\251", odd, " ")
    }
    function isOdd(value,   k, n, parts) {
      for (k = 1; k <= oddCount; k++) if (index(value, odd[k])) return 1
      # The control characters that begin with this byte.
      n = split(value, parts, "\302")
      for (k = 2; k <= n; k++) if (substr(parts[k], 1, 1) < "\240") return 1
      return 0
    }
    {
      isStated = substr($0, 1, 1) == "!"
      name = substr($1, isStated + 1)
      value = substr($0, length($1) + 2)
      if (name == "" || value == "" || (name in seen)) next
      if (name == "repository_url") { value = web(value); sub(/\.git$/, "", value) }
      if (name == "run_url") value = web(value)
      if (!isStated) {
        if (value == "") next
        if (name == "commit" && (value !~ /^[0-9a-fA-F]+$/ || length(value) < 7 || length(value) > 64)) next
        if (name == "pull_request" && (value !~ /^[1-9][0-9]*$/ || length(value) > 10)) next
        if (name ~ /_url$/ && value ~ /[ \t\\]/) next
        if (length(value) > 255 || !isUtf8(value) || isOdd(value)) next
      }
      seen[name] = 1
      printf "%s\"%s\":%s", (count++ ? "," : ""), name, (name == "pull_request" ? value : quoted(value))
    }
  '
}

is_id() {
  case $1 in
    ????????-????-????-????-????????????) case $1 in *[!0-9A-Fa-f-]*) return 1 ;; esac ;;
    *) return 1 ;;
  esac
}

checksum() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256 <"$1"
  elif command -v openssl >/dev/null 2>&1; then openssl dgst -sha256 -r <"$1"
  else fail 'one of sha256sum, shasum and openssl is required'
  fi
}

find_project() {
  if is_id "$project"; then
    send again GET "/projects/$project"
    expect "project $project"
    at=
  else
    send again GET /organizations
    # Every server knows this request, so that another one responds, or TAXIWAY_URL has a path that isn't part of its address.
    [ "$status" != 404 ] || fail "no Taxiway server responds at $server; check TAXIWAY_URL (404)"
    expect 'the organizations of the token'
    awk -F '\t' '$1 ~ /^\[[0-9]+\]\.identifier$/ { print $2 }' "$dir/facts" >"$dir/organizations"
    found=
    while IFS= read -r one; do
      is_id "$one" || fail "$server returned an unexpected response. Is it a Taxiway server?"
      send again GET "/projects?organization_id=$one&limit=1000"
      expect 'the projects of the token'
      # Both platforms can have a project of the same name: the package decides.
      WANTED=$project PLATFORM=$platform awk -F '\t' '
        match($1, /^\.items\[[0-9]+\]/) { item = substr($1, 1, RLENGTH); facts[item, substr($1, RLENGTH + 2)] = substr($0, length($1) + 2); items[item] = 1 }
        END {
          for (item in items)
            if (facts[item, "platform"] == ENVIRON["PLATFORM"] && (ENVIRON["WANTED"] == "" || facts[item, "name"] == ENVIRON["WANTED"]))
              print facts[item, "identifier"]
        }
      ' "$dir/facts" >>"$dir/projects"
    done <"$dir/organizations"
    [ -s "$dir/projects" ] || fail "no project for $platform${project:+ named \"$project\"} is available to the token"
    [ "$(wc -l <"$dir/projects")" -eq 1 ] || misused "several projects match; choose one with --project ID: $(tr '\n' ' ' <"$dir/projects")"
    read -r found <"$dir/projects"
    is_id "$found" || fail "$server returned an unexpected response. Is it a Taxiway server?"
    send again GET "/projects/$found"
    expect "project $found"
  fi
  pick project_id=.identifier organization_id=.organization_id project_name=.name identifier=.bundle_identifier
  is_id "$project_id" && is_id "$organization_id" || fail "$server returned an unexpected response. Is it a Taxiway server?"
  here="organization_id=$organization_id&project_id=$project_id"
}

find_channel() {
  send again GET "/channels?$here&limit=1000"
  expect 'the channels of the project'
  item=
  ! is_id "$channel" || find_item identifier "$channel"
  [ -n "$item" ] || find_item name "$channel"
  [ -n "$item" ] || fail "channel \"$channel\" not found in $project_name"
  pick channel_id="$item.identifier" channel_name="$item.name" install_url="$item.install_url"
  is_id "$channel_id" || fail "$server returned an unexpected response. Is it a Taxiway server?"
}

# The same package may be on the server already: its id is in $build then.
find_uploaded() {
  build=
  [ -z "$version_name$build_number" ] && [ "$next_number" = no ] || return 0
  send again GET "/builds?$here&limit=100"
  case $status in 2??) ;; *) return 0 ;; esac
  find_item sha256 "$sha256"
  [ -z "$item" ] || read_build "$item"
}

read_build() {
  pick build="$1.identifier" version="$1.version_name" number="$1.display_build_number" inspection="$1.inspection_status" \
    installable="$1.installability.status" uploaded_at="$1.uploaded_at" own_identifier="$1.inspection.bundle_identifier" \
    stored_sha256="$1.sha256" stored_size="$1.size_bytes"
  version="$version ($number)"
}

upload() {
  quote_line "${file##*/}"
  body="{\"original_filename\":$quoted,\"size_bytes\":$size"
  [ -z "$version_name" ] || { quote_line "$version_name"; body="$body,\"version_name\":$quoted"; }
  if [ "$next_number" = yes ]; then
    send again GET "/builds/next-number?$here"
    expect 'the next build number'
    pick build_number=.build_number
  fi
  [ -z "$build_number" ] || body="$body,\"build_number\":$build_number"
  [ -n "$version_name" ] && [ -n "$build_number" ] || body="$body,\"identity_from_package\":true"
  [ -z "$notes" ] || body="$body,\"release_notes\":$(quote "$notes")"
  [ -z "$labels" ] || body="$body,\"labels\":[$labels]"
  facts=$(describe_source)
  [ -z "$facts" ] || body="$body,\"source\":{$facts}"
  send once POST "/builds/initiate?$here" "$body}"
  expect "the upload of ${file##*/}"
  pick pending=.pending_upload_id url=.upload_url
  is_id "$pending" || fail "$server returned an unexpected response. Is it a Taxiway server?"
  send_bytes
  send again POST "/builds/$pending/complete?$here" "{\"sha256\":\"$sha256\"}"
  expect "${file##*/}"
  read_build ''
  is_id "$build" || fail "$server returned an unexpected response. Is it a Taxiway server?"
  case $stored_sha256 in *[A-F]*) stored_sha256=$(printf '%s' "$stored_sha256" | tr 'A-F' 'a-f') ;; esac
  [ "$stored_sha256" = "$sha256" ] && [ "$stored_size" = "$size" ] ||
    fail "the uploaded file differs from ${file##*/} (build $build)"
  mv "$dir/facts" "$dir/build"
}

# The signed URL and its headers are as secret as the token, and belong to the storage, which never gets the token.
send_bytes() {
  case $url in
    *[!-A-Za-z0-9._~:/?#@!\$\&\'\(\)*+,\;=%]* | '') fail 'the server returned an upload URL that cannot be used' ;;
    http://* | https://*) ;;
    *) fail "the server returned an upload URL that isn't http or https" ;;
  esac
  {
    printf 'url = "%s"\n' "$url"
    awk -F '\t' '
      index($1, ".required_headers.") == 1 {
        name = substr($1, 19)
        value = substr($0, length($1) + 2)
        if (name ~ /^[-A-Za-z0-9_]+$/ && value !~ /["\\]/) printf "header = \"%s: %s\"\n", name, value
        if (tolower(name) == "content-type") hasType = 1
      }
      # curl would send a form otherwise.
      END { if (!hasType) print "header = \"content-type: application/octet-stream\"" }
    ' "$dir/facts"
  } >"$dir/target"
  attempt=1
  while :; do
    : >"$dir/answer" >"$dir/headers"
    status=$(curl -sS --globoff --connect-timeout 30 --speed-limit 1 --speed-time 120 -o "$dir/answer" -D "$dir/headers" -w '%{http_code}' \
      --upload-file "$path" --config - <"$dir/target")
    code=$?
    case $code:$status in
      0:2??) return 0 ;;
      0:408 | 0:429 | 0:5??) trouble="storage returned $status" ;;
      0:*) fail "storage returned $status $(sed -n 's/.*<Code>\([A-Za-z]*\)<\/Code>.*/\1/p' "$dir/answer" | head -n 1)" ;;
      26:*) fail "cannot read $file" ;;
      *) trouble='the connection was lost' ;;
    esac
    pause_before_next || fail "the upload failed: $trouble"
  done
}

# find_release: the newest active release of the build on the channel, of all that it has had; its id is in $release then.
find_release() {
  page=
  while :; do
    send again GET "/releases?$here&channel_id=$channel_id&limit=20$page"
    expect "the releases of $channel_name"
    # Releases are listed newest first, and those from before the upload can't be its releases.
    BUILD=$build UPLOADED=$uploaded_at awk -F '\t' '
      match($1, /^\.items\[[0-9]+\]/) {
        item = substr($1, 1, RLENGTH)
        if (!(item in seen)) { seen[item] = 1; order[++count] = item }
        facts[item, substr($1, RLENGTH + 1)] = substr($0, length($1) + 2)
      }
      END {
        for (k = 1; k <= count; k++) {
          item = order[k]
          if (facts[item, ".created_at"] != "" && facts[item, ".created_at"] < ENVIRON["UPLOADED"]) { print "none"; exit }
          if (facts[item, ".build.identifier"] == ENVIRON["BUILD"] && facts[item, ".state"] == "active") { print item; exit }
        }
      }
    ' "$dir/facts" >"$dir/values"
    IFS= read -r found <"$dir/values" || found=
    case $found in
      none) return 0 ;;
      '') ;;
      *)
        pick release="$found.identifier" is_current="$found.is_current"
        [ "$is_current" != false ] ||
          say "$channel_name has a newer release. Release this build again on the page of the channel."
        return 0
        ;;
    esac
    pick cursor=.next_cursor
    case $cursor in '' | *[!-A-Za-z0-9_.~]*) return 0 ;; esac
    page="&cursor=$cursor"
  done
}

release() {
  release=
  [ ! -f "$dir/build" ] || release=$(WANTED=$channel_id awk -F '\t' '
    match($1, /^\.released_to\[[0-9]+\]/) { facts[substr($1, 1, RLENGTH), substr($1, RLENGTH + 2)] = $2; items[substr($1, 1, RLENGTH)] = 1 }
    END { for (item in items) if (facts[item, "channel_id"] == ENVIRON["WANTED"]) print facts[item, "release_id"] }
  ' "$dir/build")
  # Also for a new upload: the server may have returned an older build of the same package.
  [ -n "$release" ] || find_release
  if [ -n "$release" ]; then
    [ "$mandatory" = no ] || say "$channel_name already has the build; --mandatory changes nothing."
    return 0
  fi
  [ "$installable" != uninstallable ] || [ "$yes" = yes ] ||
    fail "build $build was uploaded, but nobody can install it. Add --yes to release it to $channel_name anyway."
  body="{\"build_id\":\"$build\""
  [ -z "$notes" ] || body="$body,\"release_notes\":$(quote "$notes")"
  [ "$mandatory" = no ] || body="$body,\"mandatory\":true"
  send once POST "/releases?$here&channel_id=$channel_id" "$body}"
  expect "build $build was uploaded, but not released to $channel_name"
  pick release=.identifier
}

# trim TEXT: the text without space at its ends, which secrets of CI systems often have.
trim() {
  printf '%s' "$1" | LC_ALL=C awk '
    { s = s (NR > 1 ? "\n" : "") $0 }
    END { sub(/^[ \t\r\n]+/, "", s); sub(/[ \t\r\n]+$/, "", s); printf "%s", s }
  '
}

is_token() { case $1 in *[!-A-Za-z0-9._~+/=]*) return 1 ;; esac; }

needs_value() { [ "$2" -gt 1 ] || misused "$1 needs a value"; }

main() {
  file='' channel='' notes='' notes_file='' labels='' stated='' source=yes project="${TAXIWAY_PROJECT-}" version_name='' build_number='' outputs='' qr_image=''
  mandatory=no yes=no next_number=no other=no
  while [ $# -gt 0 ]; do
    case $1 in
      --channel)
        needs_value "$1" $#
        # As from a variable that isn't set: the build would not be released.
        [ -n "$2" ] || misused '--channel is empty: name a channel, or leave it out to release nothing'
        channel=$2
        shift
        ;;
      --notes) needs_value "$1" $#; notes=$2; shift ;;
      --notes-file) needs_value "$1" $#; notes_file=$2; shift ;;
      --label) needs_value "$1" $#; quote_line "$2"; labels="$labels${labels:+,}$quoted"; shift ;;
      --commit) needs_value "$1" $#; add_stated commit "$2"; shift ;;
      --branch) needs_value "$1" $#; add_stated branch "$2"; shift ;;
      --tag) needs_value "$1" $#; add_stated tag "$2"; shift ;;
      --pull-request)
        needs_value "$1" $#
        case $2 in '' | *[!0-9]*) misused '--pull-request must be a number' ;; esac
        add_stated pull_request "$2"
        shift
        ;;
      --repository) needs_value "$1" $#; add_stated repository_url "$2"; shift ;;
      --run-url) needs_value "$1" $#; add_stated run_url "$2"; shift ;;
      --author) needs_value "$1" $#; add_stated author "$2"; shift ;;
      --no-source) source=no ;;
      --project) needs_value "$1" $#; project=$2; shift ;;
      --version-name) needs_value "$1" $#; version_name=$2; shift ;;
      --build-number) needs_value "$1" $#; build_number=$2; shift ;;
      --outputs) needs_value "$1" $#; outputs=$2; shift ;;
      --qr-image) needs_value "$1" $#; qr_image=$2; shift ;;
      --next-build-number) next_number=yes ;;
      --mandatory) mandatory=yes ;;
      --yes) yes=yes ;;
      --allow-other-identifier) other=yes ;;
      --help | -h) usage; exit 0 ;;
      --) shift; [ $# -eq 1 ] && [ -z "$file" ] || misused 'one file is required'; file=$1 ;;
      -?*) misused "unknown option $1" ;;
      *) [ -z "$file" ] || misused "only one file can be uploaded: $1"; file=$1 ;;
    esac
    shift
  done
  [ -n "$file" ] || { usage >&2; exit 2; }
  case $build_number in *[!0-9]*) misused '--build-number must be a whole number' ;; esac
  if [ -n "$notes_file" ]; then
    [ -z "$notes" ] || misused '--notes-file: use either this or --notes'
    notes=$(cat <"$notes_file") || fail "cannot read $notes_file"
  else
    # Earlier versions read a file then. A text of a CI system may begin with @, too, and must not choose a file.
    case $notes in @*) say 'Note: --notes is a text, also after @. To read a file, use --notes-file.' ;; esac
  fi
  case $file in /*) path=$file ;; *) path=./$file ;; esac
  [ -f "$path" ] || fail "file $file not found"
  [ -r "$path" ] || fail "cannot read $file"
  case $file in
    *.[Aa][Pp][Kk]) platform=android ;;
    *.[Ii][Pp][Aa]) platform=ios ;;
    *) misused "$file is neither an .apk nor an .ipa" ;;
  esac
  command -v curl >/dev/null 2>&1 || fail 'curl is required'
  server=${TAXIWAY_URL:-'{{url}}'}
  case $server in *[!-A-Za-z0-9._~:/%]*) server=$(trim "$server") ;; esac
  while :; do
    case $server in */) server=${server%/} ;; *) break ;; esac
  done
  case $server in
    http://?* | https://?*) ;;
    *) misused 'TAXIWAY_URL must be the address of a server, such as https://builds.example.com' ;;
  esac
  token=${TAXIWAY_TOKEN-}
  is_token "$token" || token=$(trim "$token")
  [ -n "$token" ] || fail 'TAXIWAY_TOKEN is empty or not set: it has to be an access token'
  is_token "$token" || fail 'TAXIWAY_TOKEN contains characters that no token has'

  mask=$(umask)
  umask 077
  dir=$(mktemp -d "${TMPDIR:-/tmp}/taxiway.XXXXXX") || fail 'cannot create a temporary folder'
  trap 'rm -rf "$dir"' EXIT
  trap 'exit 130' HUP INT TERM

  size=$(wc -c <"$path")
  # Some write spaces before it.
  size=${size##* }
  [ "$size" -gt 0 ] || fail "$file is empty"
  sha256=$(checksum "$path")
  sha256=${sha256%% *}
  case $sha256 in *[!0-9a-f]* | '') fail "cannot compute the SHA-256 of $file" ;; esac

  find_project
  channel_id='' channel_name='' install_url=''
  [ -z "$channel" ] || find_channel
  find_uploaded
  if [ -n "$build" ]; then
    say "${file##*/} is already on the server as build $build; not uploaded again."
    [ -z "$labels" ] || say 'Its labels stay as they are.'
  else
    say "uploading ${file##*/} ($size bytes) to $project_name"
    upload
  fi
  [ "$inspection" = ok ] || say 'Warning: the server cannot read the package.'
  [ "$installable" != uninstallable ] || say 'Warning: nobody can install this build; its page says why.'
  if [ -n "$identifier" ] && [ -n "$own_identifier" ] && [ "$identifier" != "$own_identifier" ]; then
    differs="the package is $own_identifier, but the app of $project_name is $identifier"
    [ -z "$channel" ] || [ $other = yes ] ||
      fail "$differs; build $build was uploaded, but not released. Choose another project, or add --allow-other-identifier to release it anyway."
    say "Warning: $differs."
  fi
  release=
  [ -z "$channel" ] || release

  page="$server/projects/$project_id/builds/$build"
  if [ -n "$channel" ]; then
    qr_url="$server/public/v1/channels/$channel_id/qr.png"
  else
    install_url="$server/install/builds/$build"
    qr_url="$server/public/v1/builds/$build/qr.png"
  fi
  printf 'build     %s\nversion   %s\nsha256    %s\n' "$build" "$version" "$sha256"
  [ -z "$release" ] || printf 'release   %s\nchannel   %s\n' "$release" "$channel_name"
  printf 'page      %s\ninstall   %s\nqr        %s\n' "$page" "$install_url" "$qr_url"
  # Later steps may run as another user.
  umask "$mask"
  if [ -n "$qr_image" ]; then
    curl -fsS --globoff --retry 4 --connect-timeout 30 --max-time 60 -o "$qr_image" --url "$qr_url" || fail "cannot save the QR code as $qr_image"
  fi
  [ -z "$outputs" ] || printf '%s\n' "build_id=$build" "build_url=$page" "install_url=$install_url" "qr_url=$qr_url" \
    "release_id=$release" "qr_image=$qr_image" >>"$outputs" || fail "cannot write $outputs"
}

# At the end, so that nothing runs if only a part of this file arrived.
main "$@"
