#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The manual and the tables say the same: options, keys, exit statuses, error names, both ways.
# Options are ".It Fl -name" or ".It Fl x", keys ".It Ic Name Ns = ...", statuses ".It 125" in the
# section EXIT STATUS. Keys and errors may also stand in a page of their own.
use strict;
use warnings;
use Test::More;

use lib 'tests/lint';
use Lint;

my @pages = glob 'man/*.[0-9]';
if (!-e 'man/confine.1') {
    if (($ENV{CONFINE_TESTS_MUST_RUN} // '') eq '1') { fail('man/confine.1 is there') }
    else { ok(1, 'the manual and the tables # SKIP lacks man/confine.1') }
    done_testing();
    exit 0;
}
my $page   = slurp('man/confine.1');
my $manual = join "\n", map { slurp($_) } @pages;

# Rows: (letter, name, help); help "NULL" is refused by name in this version.
my (%option, %built);
my $text = slurp('supervisor/options.def');
$text =~ s{/\*.*?\*/}{}gs;
while ($text =~ /^OPTION\((?:'(.)'|0), (?:"([\w-]+)"|NULL),.*?(NULL|"[^"]*")\)\s*$/mg) {
    my ($letter, $name, $help) = ($1, $2, $3);
    for my $spelling (grep { defined } $letter, defined $name ? "-$name" : undef) {
        $option{$spelling} = 1;
        $built{$spelling} = 1 if $help ne 'NULL';
    }
}
my (%key, %key_built);
$text = slurp('policy/keys.def');
$text =~ s{/\*.*?\*/}{}gs;
my $keys_text = $text;
while ($text =~ /^(KEY|LATER)\((\w+), (\w+),/mg) {
    $key{$3} = 1;
    $key_built{$3} = 1 if $1 eq 'KEY';
}
my (%status, %error);
$text = slurp('policy/errors.def');
$text =~ s{/\*.*?\*/}{}gs;
while ($text =~ /^ERROR\((\w+), "(\w+)", (\d+),/mg) {
    $error{$2} = 1;
    $status{$3} = 1 if $3;
}
$status{$_} = 1 for 2, 126, 127; # usage, not executable, not found

sub items {
    my ($from, $pattern) = @_;
    my %found;
    $found{$1} = 1 while $from =~ /$pattern/g;
    return \%found;
}
# An item may name two spellings: ".It Fl p , Fl -property Ns = Ns Ar KEY=VALUE".
my %documented;
for my $line ($page =~ /^\.It (Fl .*)$/mg) {
    $documented{ $1 =~ s/\\//gr } = 1 while $line =~ /\bFl (\S+)/g;
}
my $keys = items($manual, qr/^\.It Ic (\w+) Ns =/m);
my ($section) = $page =~ /^\.Sh EXIT STATUS\n(.*?)(?=^\.Sh|\z)/ms;
my $statuses = items($section // '', qr/^\.It (?:Li |Sy |Em )?(\d+)/m);
for my $pair ($section // '') {
    $statuses->{$_} = 1 for map { split /\s*,\s*/ } $pair =~ /^\.It (?:Li |Sy |Em )?(\d+(?: ?, ?\d+)+)/mg;
}
# A range such as "128+n" is no status of the table.
my %may = (%status, 0 => 1, 1 => 1, 128 => 1);

ok(keys %built > 10 && keys %key > 30 && keys %error > 5, 'the tables are read');
report('every option is in confine(1)', map { "-$_" } grep { !$documented{$_} } sort keys %built);
report('confine(1) has no other option', map { "-$_" } grep { !$option{$_} } sort keys %documented);
report('every key is in the manual', grep { !$keys->{$_} } sort keys %key_built);
report('the manual has no other key', grep { !$key{$_} } sort keys %$keys);
# What stands at each key: its default or that it is a list, and an example, which the unit tests read.
my %preset = $keys_text =~ /^KEY\(\w+, (\w+), \w+, \w+, (?:NULL|"[^"]*"), (NULL|"[^"]*"),/mg;
my %list = $keys_text =~ /^KEY\(\w+, (\w+),.*, (LIST|ONCE), /mg;
my %item = $manual =~ /^\.It Ic (\w+) Ns =(.*?)(?=^\.It |^\.El)/msg;
my $examples = slurp('tests/data/policy-files/named-examples.conf');
my (@default, @example);
for my $name (sort keys %key_built) {
    my $item = $item{$name} // '';
    my $value = $preset{$name} =~ tr/"//dr;
    push @default, $name
        unless $list{$name} eq 'LIST' ? $item =~ /^List\b/m
        : $value eq 'NULL' ? $item =~ /^Default: /m
        : $item =~ /^Default:.*?(?<![\w-])\Q$value\E(?![\w-])/ms;
    my ($line) = $item =~ /^Example:\n\.Dl ($name=\S.*)$/m;
    push @example, $name
        unless $line && ($name eq 'Enforcement' || $examples =~ /^\Q$line\E$/m);
}
report('every key has its default in the manual', @default);
report('every key has an example there that is read', @example);
# Who can enforce which key: the rows of that section against the table.
my ($who) = $manual =~ /^\.Ss Who can enforce them\n(.*?)^\.El/ms;
my %row = ($who // '') =~ /^\.It (\w+) Ta (.*)$/mg;
my %capability;
$text = slurp('policy/capabilities.def') =~ s{/\*.*?\*/}{}gsr;
while ($text =~ /^CAPABILITY\((\w+), (\w+), "(\w*)", (\d+), (\w+), "([^"]+)"\)$/mg) {
    my ($name, $manager, $controller, $abi, $root, $by) = ($1, $2, $3, $4, $5, $6);
    my $needs = $manager eq 'SYSTEM' ? qr/the system manager/ : $root eq 'true' ? qr/root/
        : $controller ? qr/the controller $controller/ : $abi ? qr/Landlock ABI $abi \(Linux [\d.]+\)/ : qr/-/;
    $capability{$name} = qr/^$needs Ta \Q$by\E$/ if $key_built{$name};
}
report('what each key needs is in the manual', grep { ($row{$_} // '') !~ ($capability{$_} // qr/^$/) } sort keys %key_built);
report('and of no other key', grep { !$key_built{$_} } sort keys %row);
report('every exit status is in confine(1)', grep { !$statuses->{$_} } sort keys %status);
report('confine(1) has no other exit status', grep { !$may{$_} } sort keys %$statuses);
report('every error name is in the manual', grep { $manual !~ /\b$_\b/ } sort keys %error);
# Those for fish and zsh are made from the tables.
for my $completion (grep { !/generate$/ } glob 'packaging/completions/*') {
    my $words = slurp($completion);
    report("every option is in $completion",
        grep { $words !~ /(?<![\w-])-?\Q$_\E(?![\w-])/ } sort grep { /^-/ } keys %built);
}
SKIP: {
    skip('lacks mandoc', 1) unless grep { -x "$_/mandoc" } split /:/, $ENV{PATH};
    my $said = `mandoc -T lint -W warning @pages 2>&1`;
    report('mandoc finds no fault', grep { length } split /\n/, $said);
}
done_testing();
